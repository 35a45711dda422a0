package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.setting.Configured;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvSource({
        "https://huddle.example, https://huddle.example",
        "HTTPS://Huddle.Example:443/huddle, https://huddle.example",
        "http://huddle.example:80, http://huddle.example",
        "http://huddle.example:443, http://huddle.example:443",
        "https://huddle.example:8443/x, https://huddle.example:8443",
        "http://[::1]:9080, http://[::1]:9080",
    })
    void origin_ofAnAddress_isWhatABrowserSends(String address, String origin) {
        assertThat(PublicUrl.origin(URI.create(address))).isEqualTo(origin);
        Configured.with(
                Map.of("huddle.public-url", address),
                () -> assertThat(PublicUrl.origin()).contains(origin));
        Configured.with(Map.of(), () -> assertThat(PublicUrl.origin()).isEmpty());
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
