package io.huddle.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StageTest {
    @ParameterizedTest
    @CsvSource({
        "shadow,false,false,false",
        "fencing,true,false,false",
        "leases,true,true,false",
        "alerting,true,true,true"
    })
    void stage_enforces_whatItsRowSays(String name, boolean fences, boolean ends, boolean alerts) {
        Stage stage = Stage.named(name).orElseThrow();
        assertThat(stage.wire()).isEqualTo(name);
        assertThat(Stage.of(name)).isEqualTo(stage);
        assertThat(stage.fencesGenerations()).isEqualTo(fences);
        assertThat(stage.endsLeases()).isEqualTo(ends);
        assertThat(stage.raisesAlerts()).isEqualTo(alerts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "SHADOW", "Shadow", "alert", "shadow "})
    void stage_ofAnyOtherName_isNone(String name) {
        assertThat(Stage.named(name)).isEmpty();
    }

    @Test
    void scope_ofDeploymentAndTeam_isReadAsItIsWritten() {
        assertThat(Scope.parse("deployment")).isEqualTo(Scope.DEPLOYMENT);
        Scope team = Scope.parse("team:ward 3: night");
        assertThat(team.team()).isEqualTo("ward 3: night");
        assertThat(Scope.parse(team.text())).isEqualTo(team);
        // A team of this name is no deployment.
        assertThat(Scope.parse("team:deployment").team()).isEqualTo("deployment");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Deployment", "deployment ", "team", "team:", "team: ", "teams:a", "room:r-1", "team:a\u0000"
            })
    void scope_ofAnythingElse_isInvalid(String text) {
        Assertions.assertThatThrownBy(() -> Scope.parse(text))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.refusal()).isEqualTo(Refusal.INVALID_REQUEST));
    }
}
