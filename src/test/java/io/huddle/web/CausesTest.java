package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class CausesTest {
    private final IllegalArgumentException defect = new IllegalArgumentException("of the test", new IOException());

    @Test
    void failure_wrappedHoweverOften_isFound() {
        assertThat(Causes.of(defect)).isSameAs(defect);
        assertThat(Causes.of(new CompletionException(defect))).isSameAs(defect);
        assertThat(Causes.of(new ExecutionException(new CompletionException(defect))))
                .isSameAs(defect);
    }

    @Test
    void wrapping_aroundNothing_isItself() {
        CompletionException empty = new CompletionException("of the test", null);

        assertThat(Causes.of(new ExecutionException(empty))).isSameAs(empty);
    }

    @Test
    void failure_toBeThrown_isItselfIfThatIsUnchecked() {
        IOException checked = new IOException("of the test");

        assertThat(Causes.unchecked(new CompletionException(defect))).isSameAs(defect);
        assertThat(Causes.unchecked(new CompletionException(checked)))
                .isInstanceOf(IllegalStateException.class)
                .hasCause(checked);
    }
}
