package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What dead nodes left behind, as operators see it on a node that has nothing of the kind. */
class OrphansIT extends Contract {
    private static final String ORPHANS = "/admin/orphans";

    @Test
    void orphans_none_areToldWithTheirFigures() {
        JsonObject all = operator().get(ORPHANS).assertStatus(200).json();

        assertThat(all.keySet())
                .containsExactlyInAnyOrder("items", "bytes", "oldestSeconds", "setAside", "redeliveries", "chunks");
        assertThat(all.getInt("items")).isZero();
        assertThat(all.getInt("bytes")).isZero();
        assertThat(all.getInt("oldestSeconds")).isZero();
        assertThat(all.getInt("setAside")).isZero();
        assertThat(all.getJsonArray("chunks")).isEmpty();
    }

    @Test
    void limit_outOfBounds_isInvalid() {
        operator().get(ORPHANS + "?limit=0").assertProblem(400, "invalid-request");
        operator().get(ORPHANS + "?limit=201").assertProblem(400, "invalid-request");
        operator().get(ORPHANS + "?limit=x").assertProblem(400, "invalid-request");
        operator().get(ORPHANS + "?limit=200").assertStatus(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"17-1796025600123-4", "x", "%C3%84", "a%20b"})
    void retry_ofNoChunk_isNotFoundAndLeavesNoTrace(String orphan) {
        Trace before = Trace.of(site.store());
        operatorWithReason().post(ORPHANS + "/" + orphan + "/retry").assertProblem(404, "not-found");
        before.assertUnchanged();
    }

    @Test
    void everyCall_isForOperatorsAndARetryForOnesWithAReason() {
        Trace before = Trace.of(site.store());
        for (Api api : List.of(participant("ada"), integrator())) {
            api.get(ORPHANS).assertProblem(403, "forbidden");
            api.with("Huddle-Reason", "because").post(ORPHANS + "/1-2-3/retry").assertProblem(403, "forbidden");
        }
        operator().post(ORPHANS + "/1-2-3/retry").assertProblem(400, "reason-missing");
        before.assertUnchanged();
    }

    @Test
    void gauges_ofOrphans_areServedAndZero() {
        Metrics metrics = Metrics.of(site);
        for (String what : List.of("items", "bytes", "oldest_seconds", "dead_letters")) {
            assertThat(metrics.samples())
                    .filteredOn(sample -> sample.name().equals("huddle_orphan_" + what))
                    .as(what)
                    .singleElement()
                    .satisfies(sample -> assertThat(sample.value()).isZero());
        }
    }
}
