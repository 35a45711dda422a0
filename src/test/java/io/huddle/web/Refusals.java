package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a refusal looks like to a test. */
public final class Refusals {
    private Refusals() {}

    /** The call is refused as {@code invalid-request} with these words in the detail. */
    public static void assertInvalid(ThrowingCallable call, String... words) {
        assertRefused(Refusal.INVALID_REQUEST, call, words);
    }

    public static void assertRefused(Refusal refusal, ThrowingCallable call, String... words) {
        assertThatExceptionOfType(Refused.class).isThrownBy(call).satisfies(refused -> {
            assertThat(refused.refusal()).isEqualTo(refusal);
            for (String one : words) {
                assertThat(refused.detail()).contains(one);
            }
        });
    }
}
