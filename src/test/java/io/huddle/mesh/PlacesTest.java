package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PlacesTest {
    private final Places places = new Places(16);

    private Runnable taken(String who) {
        return Objects.requireNonNull(places.take(who));
    }

    @Test
    void place_ofOneWhoHasItsShare_isRefusedToItAlone() {
        Runnable first = taken("a");
        taken("a");

        assertThat(places.take("a")).isNull();
        taken("b");
        first.run();
        first.run();

        assertThat(places.taken()).as("given back once").isEqualTo(2);
        taken("a");
        assertThat(places.take("a")).isNull();
    }

    @Test
    void places_together_areBounded() {
        List<Runnable> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            all.add(taken(""));
        }
        assertThat(places.take("")).isNull();
        assertThat(places.take("a")).isNull();
        all.forEach(Runnable::run);

        assertThat(places.taken()).isZero();
        taken("a");
    }

    @Test
    void share_ofFewPlaces_isOne() {
        Places few = new Places(2);
        assertThat(few.take("a")).isNotNull();
        assertThat(few.take("a")).isNull();
        assertThat(few.take("b")).isNotNull();
    }
}
