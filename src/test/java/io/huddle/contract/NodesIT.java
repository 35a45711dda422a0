package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.setting.Release;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The nodes of a mesh that is one node without links. */
class NodesIT extends Contract {
    private static final String NODES = "/admin/nodes";

    @Test
    void nodes_ofOneWithoutLinks_areThatOneWithoutAnAddress() {
        List<JsonObject> all = operator()
                .get(NODES)
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);

        assertThat(all).singleElement().satisfies(node -> {
            assertThat(node.getString("node")).matches("\\d+");
            assertThat(node.getString("state")).isEqualTo("ready");
            assertThat(node.getString("version")).isEqualTo(Release.version());
            assertThat(node.getBoolean("drained")).isFalse();
            assertThat(node.keySet())
                    .contains("process", "name", "streams", "leaseRemainingMs", "since")
                    .doesNotContain("address", "linkKey");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"17", "x", "-1", "99999999999999999999", "%C3%84", "a%20b"})
    void drain_ofNoNode_isNotFoundAndLeavesNoTrace(String node) {
        Trace before = Trace.of(site.store());
        operatorWithReason().post(NODES + "/" + node + "/drain").assertProblem(404, "not-found");
        before.assertUnchanged();
    }

    @Test
    void everyCall_isForOperatorsAndADrainForOnesWithAReason() {
        Trace before = Trace.of(site.store());
        for (Api api : List.of(participant("ada"), integrator())) {
            api.get(NODES).assertProblem(403, "forbidden");
            api.with("Huddle-Reason", "because").post(NODES + "/17/drain").assertProblem(403, "forbidden");
        }
        Api.anonymous(site.node()).get(NODES).assertProblem(401, "unauthenticated");
        operator().post(NODES + "/17/drain").assertProblem(400, "reason-missing");
        before.assertUnchanged();
    }
}
