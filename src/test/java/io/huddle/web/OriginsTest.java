package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.huddle.setting.Configured;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginsTest {
    private static final Set<String> ALLOWED = Set.of("https://ehr.example");

    private final Map<String, String> answered = new TreeMap<>();

    @Test
    void configured_listWithSpaces_isASet() {
        Configured.with(
                Map.of("huddle.origins", " https://ehr.example , http://localhost:3000"),
                () -> assertThat(Origins.configured())
                        .containsExactlyInAnyOrder("https://ehr.example", "http://localhost:3000"));
        assertThat(Origins.configured()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "null",
                "https://ehr.example/",
                "https://ehr.example/path",
                "https://*.example",
                "ehr.example",
                "ftp://ehr.example",
                "https://a.example,,https://b.example",
                "https://user@ehr.example"
            })
    void configured_noOrigin_stopsTheStart(String text) {
        Configured.with(
                Map.of("huddle.origins", text),
                () -> assertThatIllegalStateException()
                        .isThrownBy(Origins::configured)
                        .withMessageContaining("an origin looks like https://ehr.example"));
    }

    @Test
    void preflight_allowedOrigin_isPermitted() {
        assertThat(preflight("OPTIONS", "https://ehr.example", "PUT", ALLOWED)).isTrue();
        assertThat(answered)
                .containsEntry("Access-Control-Allow-Origin", "https://ehr.example")
                .containsEntry("Vary", "Origin")
                .containsKeys("Access-Control-Allow-Methods", "Access-Control-Max-Age")
                .doesNotContainKey("Access-Control-Allow-Credentials");
        assertThat(answered.get("Access-Control-Allow-Headers"))
                .contains("Authorization", "Idempotency-Key", "Huddle-Reason", "Last-Event-ID");
    }

    @Test
    void preflight_otherOrigin_getsNoPermission() {
        for (String origin :
                new String[] {"https://evil.example", "https://ehr.example.evil", "null", "HTTPS://EHR.EXAMPLE"}) {
            answered.clear();
            assertThat(preflight("OPTIONS", origin, "PUT", ALLOWED)).isTrue();
            assertThat(answered).containsOnlyKeys("Vary");
        }
    }

    @Test
    void request_allowedOrigin_isAnsweredWithExposedHeaders() {
        assertThat(preflight("GET", "https://ehr.example", null, ALLOWED)).isFalse();
        assertThat(answered).containsOnlyKeys("Vary", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers");
    }

    @Test
    void request_noOriginsConfigured_getsNoHeader() {
        assertThat(preflight("GET", "https://ehr.example", null, Set.of())).isFalse();
        assertThat(answered).isEmpty();
    }

    @Test
    void options_withoutRequestMethod_isNoPreflight() {
        assertThat(preflight("OPTIONS", "https://ehr.example", null, ALLOWED)).isFalse();
    }

    private boolean preflight(String method, String origin, @Nullable String requestMethod, Set<String> allowed) {
        HttpServletRequest request = fake(HttpServletRequest.class, (name, arguments) -> switch (name) {
            case "getMethod" -> method;
            case "getHeader" -> "Origin".equals(arguments[0]) ? origin : requestMethod;
            default -> throw new UnsupportedOperationException(name);
        });
        HttpServletResponse response = fake(HttpServletResponse.class, (name, arguments) -> {
            answered.put((String) arguments[0], (String) arguments[1]);
            return null;
        });
        return Origins.preflight(request, response, allowed);
    }

    private interface Answer {
        @Nullable
        Object to(String method, Object[] arguments);
    }

    private static <T> T fake(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        answer.to(method.getName(), arguments == null ? new Object[0] : arguments)));
    }
}
