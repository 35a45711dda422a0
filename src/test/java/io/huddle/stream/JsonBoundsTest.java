package io.huddle.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBoundsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"{}", " { } \n", "{\"a\":[1,2,{\"b\":null}]}", "{\"a\":\"}{][,'/#;=\\\\\"}", "{\"a\":\"\\\"}{\"}"
            })
    void object_ofModestStructure_holds(String text) {
        assertThat(JsonBounds.holds(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "{",
                "}",
                "{}}",
                "{} x",
                "{}{}",
                "{'a':1}",
                "{'\"':[{},{}]}",
                "{/*\"*/}",
                "{#\n}",
                "{\"a\"=1}",
                "{\"a\":1;\"b\":2}",
                "{\"a",
                "{\"a\\"
            })
    void text_thatIsNoObject_orHidesItsStructure_doesNotHold(String text) {
        assertThat(JsonBounds.holds(text)).isFalse();
    }

    /** Eight megabytes of empty objects in a field that nobody knows took all of a node's memory. */
    @Test
    void structure_pastTheBounds_doesNotHold() {
        assertThat(JsonBounds.holds("{\"a\":[" + "{},".repeat(1_000) + "{}]}")).isTrue();
        assertThat(JsonBounds.holds("{\"a\":[" + "{},".repeat(10_000) + "{}]}")).isFalse();
        assertThat(JsonBounds.holds("{\"a\":" + "[".repeat(63) + "]".repeat(63) + "}"))
                .isTrue();
        assertThat(JsonBounds.holds("{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}"))
                .isFalse();
        assertThat(JsonBounds.holds("{\"a\":\"" + ",".repeat(100_000) + "\"}")).isTrue();
    }
}
