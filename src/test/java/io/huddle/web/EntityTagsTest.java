package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EntityTagsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "W/\"a-1\" | true",
                "\"a-1\" | true",
                "W/\"b\", W/\"a-1\" | true",
                "* | true",
                "W/\"a-12\" | false",
                "a-1 | false",
                "'' | false"
            })
    void validator_comparedWeakly_matchesTheSameTag(String header, boolean matches) {
        assertThat(EntityTags.matches(header, "a-1")).isEqualTo(matches);
        assertThat(EntityTags.matches(null, "a-1")).isFalse();
    }
}
