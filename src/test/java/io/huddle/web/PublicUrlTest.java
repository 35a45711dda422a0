package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.setting.Configured;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong address was found out by the first create, after it had committed its room. */
class PublicUrlTest {
    @ParameterizedTest
    @ValueSource(strings = {"https://huddle.example", "http://localhost:9080", "https://ehr.example/huddle"})
    void publicUrl_thatIsAnAddress_passes(String address) {
        Configured.with(
                Map.of("huddle.public-url", address),
                () -> assertThatCode(PublicUrl::check).doesNotThrowAnyException());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://[x", "huddle.example", "huddle.example/%zz x", "ftp://huddle.example", "https:///x"})
    void publicUrl_thatIsNone_stopsTheStartByName(String address) {
        Configured.with(
                Map.of("huddle.public-url", address),
                () -> assertThatThrownBy(PublicUrl::check)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("huddle.public-url"));
    }
}
