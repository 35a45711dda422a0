package io.huddle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where Redis is, as an operator writes it. */
class RedisAddressTest {
    @Test
    void address_withCredentials_isReadAndTellsNoPassword() {
        RedisAddress address = RedisAddress.parse("rediss://us%2Fer:p%40ss+w:d@redis.example:6380");
        assertThat(address.nodes()).containsExactly("rediss://redis.example:6380");
        assertThat(address.user()).isEqualTo("us/er");
        assertThat(address.password()).isEqualTo("p@ss+w:d");
        assertThat(address.isCluster()).isFalse();
        assertThat(address.toString()).isEqualTo("rediss://redis.example:6380");
    }

    @Test
    void address_ofSeveralNodes_isACluster() {
        RedisAddress address = RedisAddress.parse("redis://a:1, redis://:secret@b , redis://c:3/");
        assertThat(address.nodes()).containsExactly("redis://a:1", "redis://b:6379", "redis://c:3");
        assertThat(address.user()).isNull();
        assertThat(address.password()).isEqualTo("secret");
        assertThat(address.isCluster()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://u:pass-w0rd@a:1",
                "a:1",
                "redis://",
                "redis://u:pass-w0rd@a:1/2",
                "redis://u:pass-w0rd@a:1?db=1",
                "redis://u:pass-w0rd@a b:1",
                "redis://a:1,",
                "redis://u:pass-w0rd@a:1,rediss://b:1"
            })
    void address_thatIsNone_isRefusedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> RedisAddress.parse(text))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("huddle.redis.url")
                .satisfies(thrown ->
                        assertThat(thrown.toString() + thrown.getCause()).doesNotContain("pass-w0rd"));
    }

    @Test
    void namespace_thatWouldBreakKeys_isRefused() {
        assertThatThrownBy(() -> new Redis("", "a{b}", RedisLimits.DEFAULT)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new Redis("", "a".repeat(129), RedisLimits.DEFAULT))
                .isInstanceOf(IllegalStateException.class);
        try (Redis redis = new Redis("", "care-1", RedisLimits.DEFAULT)) {
            assertThat(redis.isConfigured()).isFalse();
            assertThat(redis.key("m", "members")).isEqualTo("care-1:{m}:members");
        }
    }
}
