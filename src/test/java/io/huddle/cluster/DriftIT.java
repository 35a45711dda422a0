package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.TlsReceiver;
import io.huddle.harness.Tokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Windows of one second, which both nodes look for at the same time. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DriftIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Cluster cluster = Cluster.healed();
    private final String team = cluster.team();
    private final Api api = cluster.integrator(team);

    /**
     * A clinician was alone in the huddle with three colleagues who were listed and silent. Both nodes judge; the alert is
     * opened once. The node that stops does not keep the other from judging; the operator removes the three exact
     * generations; the alert closes itself, and everything is told in the audit.
     */
    @Test
    void lonelyRoom_onTwoNodes_raisesOneAlert_thatClosesItself() throws Exception {
        awaitNobodyElse();
        cluster.hooks.answerWith("HTTP/1.1 503 Service Unavailable\r\n\r\n");
        String room = cluster.room(team, 5, 15);
        String quiet = cluster.room(team, 5, 15);
        List<Member> people = List.of(
                Member.join(api, room, "ada"),
                Member.join(api.on(cluster.two), room, "bob"),
                Member.join(api, room, "cyd"),
                Member.join(api.on(cluster.two), room, "dan"));
        List<Member> others = List.of(Member.join(api, quiet, "eve"), Member.join(api, quiet, "fay"));

        Awaiting.until(PATIENCE, "an alert", () -> {
            live(people, 1);
            live(others, 2);
            return count("SELECT count(*) FROM alert WHERE room_id = ? AND closed_at IS NULL", room) == 1;
        });
        assertThat(cluster.store.column("SELECT kind FROM drifting_room WHERE room_id = ?", room))
                .containsExactly("leases_without_media");
        assertThat(count("SELECT count(*) FROM drift_room WHERE room_id = ?", quiet))
                .isZero();

        Awaiting.until(PATIENCE, "a try to tell the receiver, which is not ready", () -> hasTried(room, "opened", 1));
        cluster.hooks.answerWith("HTTP/1.1 204 No Content\r\n\r\n");

        Api operator = Api.of(cluster.two, Tokens.operator("on-call")).with("Huddle-Reason", "silent for minutes");
        cluster.pause(cluster.one);
        try {
            people.subList(1, 4)
                    .forEach(ghost -> operator.post(
                                    "/admin/sessions/" + ghost.session() + "/remove",
                                    Api.json()
                                            .add("generation", ghost.generation())
                                            .build())
                            .assertStatus(204));
            Awaiting.until(PATIENCE, "the alert closes", () -> {
                people.get(0).on(cluster.two).renew().assertStatus(200);
                return count("SELECT count(*) FROM alert WHERE room_id = ? AND close_reason = 'clean'", room) == 1;
            });
        } finally {
            cluster.resume(cluster.one);
        }

        assertThat(count("SELECT count(*) FROM alert WHERE room_id = ?", room)).isOne();
        assertThat(count(
                        "SELECT count(*) FROM audit WHERE room_id = ? AND action = 'session.remove'"
                                + " AND reason = 'silent for minutes' AND generation = 1",
                        room))
                .isEqualTo(3);
        Awaiting.asserted(() -> {
            assertThat(lines("alert.opened", room)).isOne();
            assertThat(lines("alert.closed", room)).isOne();
        });
        assertTold(room);
    }

    /** Rooms of other tests drift as well; what is told of one group waits for what was told before. */
    private void awaitNobodyElse() {
        cluster.hooks.answerWith("HTTP/1.1 204 No Content\r\n\r\n");
        cluster.store.update("UPDATE room SET synthetic = TRUE");
        Awaiting.until(
                PATIENCE,
                "no alert of other rooms",
                () -> count("SELECT count(*) FROM alert WHERE closed_at IS NULL") == 0);
    }

    /** The receiver was told again under the same id, by one node, and of the end after the beginning. */
    private void assertTold(String room) throws Exception {
        Awaiting.until(PATIENCE, "the end is told", () -> hasTried(room, "closed", 1));
        List<TlsReceiver.Request> opened = told(room, "opened");
        assertThat(opened).hasSizeBetween(2, 3);
        assertThat(opened)
                .extracting(request -> request.header("webhook-id"))
                .containsOnly(opened.get(0).header("webhook-id"));
        assertThat(told(room, "closed")).hasSize(1);
        for (TlsReceiver.Request request : opened) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(Cluster.HOOK_SECRET), "HmacSHA256"));
            String content =
                    request.header("webhook-id") + "." + request.header("webhook-timestamp") + "." + request.body();
            assertThat(request.header("webhook-signature"))
                    .isEqualTo("v1,"
                            + Base64.getEncoder()
                                    .encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8))));
        }
    }

    private boolean hasTried(String room, String change, int times) {
        return told(room, change).size() >= times;
    }

    private List<TlsReceiver.Request> told(String room, String change) {
        return cluster.hooks.arrived().stream()
                .filter(request -> request.body().contains("\"alerts." + change + "\"")
                        && request.body().contains(room))
                .toList();
    }

    /** The first ones hear something, the others do not. */
    private static void live(List<Member> people, int hearing) {
        for (int i = 0; i < people.size(); i++) {
            Member member = people.get(i);
            member.renew().assertStatus(200);
            member.api()
                    .post(
                            "/rooms/" + member.room() + "/sessions/" + member.session() + "/media",
                            Api.json()
                                    .add("generation", member.generation())
                                    .add("state", "connected")
                                    .add("flowing", i < hearing)
                                    .build())
                    .assertStatus(204);
        }
    }

    private long count(String sql, Object... parameters) {
        return cluster.count(sql, parameters);
    }

    /** On all nodes together, since one of them judged. */
    private long lines(String type, String room) {
        return cluster.nodes().stream()
                .map(Node::log)
                .flatMap(String::lines)
                .filter(line -> line.contains(type) && line.contains(room))
                .count();
    }
}
