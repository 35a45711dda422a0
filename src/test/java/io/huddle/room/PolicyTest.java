package io.huddle.room;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.setting.Configured;
import io.huddle.web.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
    @Test
    void read_nothing_isTheDefaultsOfThePage() {
        assertThat(Policy.read(null)).isEqualTo(new Policy(5, 15, 120, 50));
        assertThat(policy("{}")).isEqualTo(new Policy(5, 15, 120, 50));
        assertThat(policy("{\"leaseSeconds\":null}")).isEqualTo(new Policy(5, 15, 120, 50));
    }

    @Test
    void read_some_takesTheDefaultsForTheOthers() {
        assertThat(policy("{\"heartbeatSeconds\":2,\"maxParticipants\":7}")).isEqualTo(new Policy(2, 15, 120, 7));
    }

    @Test
    void read_deployment_setsTheDefaults() {
        Configured.with(
                Map.of("huddle.room.lease-seconds", "60"),
                () -> assertThat(policy("{\"heartbeatSeconds\":20}")).isEqualTo(new Policy(20, 60, 120, 50)));
    }

    @ParameterizedTest
    @CsvSource({
        "heartbeatSeconds, 1, 5",
        "leaseSeconds, 15, 120",
        "suspendedLeaseSeconds, 30, 900",
        "maxParticipants, 1, 200"
    })
    void read_bounds_areInclusive(String field, int least, int most) {
        policy("{\"" + field + "\":" + least + "}");
        policy("{\"" + field + "\":" + most + "}");
    }

    @ParameterizedTest
    @CsvSource({
        "heartbeatSeconds, 0, 31, 1 to 30",
        "leaseSeconds, 4, 121, 5 to 120",
        "suspendedLeaseSeconds, 29, 901, 30 to 900",
        "maxParticipants, 0, 201, 1 to 200"
    })
    void read_outOfBounds_namesTheField(String field, int below, int above, String bounds) {
        assertInvalid(() -> policy("{\"" + field + "\":" + below + "}"), "policy." + field, bounds);
        assertInvalid(() -> policy("{\"" + field + "\":" + above + "}"), "policy." + field, bounds);
    }

    @Test
    void read_leaseBelowThreeHeartbeats_isInvalid() {
        assertThat(policy("{\"heartbeatSeconds\":30,\"leaseSeconds\":90}").leaseSeconds())
                .isEqualTo(90);
        assertInvalid(() -> policy("{\"heartbeatSeconds\":30,\"leaseSeconds\":89}"), "three times");
        assertInvalid(() -> policy("{\"heartbeatSeconds\":6}"), "three times", "which is 6");
        assertInvalid(() -> policy("{\"leaseSeconds\":14}"), "three times", "which is 5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"leaseMs\":1}",
                "{\"LeaseSeconds\":15}",
                "{\"leaseSeconds\":\"15\"}",
                "{\"leaseSeconds\":15.5}"
            })
    void read_unknownOrWrong_isInvalid(String json) {
        assertInvalid(() -> policy(json));
    }

    private static Policy policy(String json) {
        byte[] body = ("{\"policy\":" + json + "}").getBytes(StandardCharsets.UTF_8);
        return Policy.read(RequestBody.parse(body).optionalObject("policy"));
    }
}
