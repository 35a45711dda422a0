package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The session state table, row by row: the state after, the one event, the lease. */
class SessionStatesIT extends Contract {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", useHeadersInDisplayName = true, textBlock = """
                    from      | trigger | to        | event                   | reason           | lease
                    left      | join    | present   | participant.joined      | -                | ttl
                    expired   | join    | present   | participant.joined      | -                | ttl
                    removed   | join    | present   | participant.joined      | -                | ttl
                    present   | join    | present   | participant.reconnected | -                | ttl
                    suspect   | join    | present   | participant.reconnected | -                | ttl
                    suspended | join    | present   | participant.reconnected | -                | ttl
                    present   | silence | suspect   | participant.suspected   | heartbeat-missed | unchanged
                    present   | failed  | suspect   | participant.suspected   | media-failed     | unchanged
                    suspect   | failed  | suspect   | -                       | -                | unchanged
                    suspended | failed  | suspended | -                       | -                | unchanged
                    suspended | silence | suspended | -                       | -                | unchanged
                    present   | lost    | present   | -                       | -                | unchanged
                    present   | renew   | present   | -                       | -                | ttl
                    suspect   | renew   | present   | participant.recovered   | -                | ttl
                    suspended | renew   | present   | participant.recovered   | -                | ttl
                    present   | suspend | suspended | participant.suspended   | -                | suspended
                    suspect   | suspend | suspended | participant.suspended   | -                | suspended
                    suspended | suspend | suspended | -                       | -                | suspended
                    present   | leave   | absent    | participant.left        | -                | ended
                    suspect   | leave   | absent    | participant.left        | -                | ended
                    suspended | leave   | absent    | participant.left        | -                | ended
                    present   | expire  | absent    | participant.expired     | -                | ended
                    suspect   | expire  | absent    | participant.expired     | -                | ended
                    suspended | expire  | absent    | participant.expired     | -                | ended
                    present   | close   | absent    | participant.removed     | room-closed      | ended
                    suspect   | close   | absent    | participant.removed     | room-closed      | ended
                    suspended | close   | absent    | participant.removed     | room-closed      | ended
                    present   | remove  | absent    | participant.removed     | operator         | ended
                    suspect   | remove  | absent    | participant.removed     | operator         | ended
                    suspended | remove  | absent    | participant.removed     | operator         | ended
                    """)
    void trigger_inState_changesStateEventAndLeaseAsTheTableSays(
            String from, String trigger, String to, @Nullable String event, @Nullable String reason, String lease) {
        Membership membership = inState(from);
        long seq = seq(membership.room());
        Row before = row(membership.session());

        pull(trigger, membership);

        Row after = awaitState(membership.session(), to);
        long generation = membership.generation() + (trigger.equals("join") ? 1 : 0);
        assertThat(after.generation()).isEqualTo(generation);
        assertLease(lease, before, after);
        List<JsonObject> told = events(membership.room(), seq).stream()
                .filter(one -> one.getString("type").startsWith("participant."))
                .toList();
        if (event == null) {
            assertThat(told).isEmpty();
            return;
        }
        assertThat(told).hasSize(1);
        JsonObject one = told.get(0);
        assertThat(one.getString("type")).isEqualTo(event);
        assertThat(one.getString("session")).isEqualTo(membership.session());
        assertThat(one.getString("participant")).isEqualTo("ada");
        assertThat(one.getJsonNumber("generation").longValue()).isEqualTo(generation);
        assertThat(one.getString("prior")).isEqualTo(before.state());
        assertThat(one.getString("next")).isEqualTo(to);
        assertThat(one.getString("reason", null)).isEqualTo(reason);
    }

    @Test
    void join_ofNobodyYet_isGenerationOneAndTold() {
        Api ada = participant("ada");
        String room = openRoom(ada);

        Answer joined = ada.join(room).assertStatus(201);

        Row row = row(joined.json().getString("session"));
        assertThat(row.state()).isEqualTo("present");
        assertThat(row.generation()).isOne();
        assertThat(Duration.between(row.provenAt(), row.leaseUntil())).hasSeconds(LEASE);
        assertThat(eventTypes(room, 0)).containsExactly("room.opened", "participant.joined");
        assertThat(events(room, 1).get(0).getString("prior")).isEqualTo("absent");
    }

    @ParameterizedTest
    @CsvSource({"present", "suspect"})
    void renewal_ofALeaseThatIsLongerAlready_keepsTheLongerOne(String from) {
        Membership membership = inState(from);
        change(
                "UPDATE room_session SET lease_until = lease_until + INTERVAL '400' SECOND WHERE id = ?",
                membership.session());
        Instant before = row(membership.session()).leaseUntil();

        Answer renewed = membership.renew().assertStatus(200);

        assertThat(row(membership.session()).leaseUntil()).isEqualTo(before);
        assertThat(time(renewed, "leaseUntil")).isBetween(before.minusMillis(1), before);
    }

    @ParameterizedTest
    @CsvSource({
        "present, renew",
        "present, suspend",
        "present, failed",
        "present, leave",
        "present, remove",
        "suspect, renew",
        "suspended, renew",
        "suspended, leave",
        "left, renew",
        "left, leave",
        "expired, suspend",
        "removed, remove"
    })
    void command_ofAnotherGeneration_changesNothingAndIsCounted(String state, String command) {
        Membership current = inState(state).again();
        bring(current, state);
        Row before = row(current.session());
        long seq = seq(current.room());

        for (long other : new long[] {current.generation() - 1, current.generation() + 1}) {
            double counted = Metrics.of(site).stale(operation(command));
            command(command, current.of(other)).assertProblem(409, "stale-generation");
            assertThat(Metrics.of(site).stale(operation(command))).isEqualTo(counted + 1);
        }

        assertThat(row(current.session())).isEqualTo(before);
        assertThat(events(current.room(), seq)).isEmpty();
    }

    @Test
    void silentMember_leaving_isGone() {
        // Case 4: a member that never sent any media stayed on screen after it left. Presence does not depend on media.
        Membership ada = joined("ada");
        Membership bob = join(participant("bob"), ada.room());
        assertThat(roster(ada.room())).containsExactly("ada:present", "bob:present");

        ada.leave().assertStatus(204);

        assertThat(roster(ada.room())).containsExactly("bob:present");
        bob.media("connected").assertStatus(204);
        assertThat(eventTypes(ada.room(), 3)).containsExactly("participant.left");
    }

    @Test
    void media_failedAgainWithoutHavingRecovered_doubtsOnce() {
        Membership ada = joined("ada");
        ada.media("failed").assertStatus(204);
        ada.renew().assertStatus(200);

        ada.media("failed").assertStatus(204);
        assertThat(row(ada.session()).state()).isEqualTo("present");

        ada.media("connected").assertStatus(204);
        ada.media("failed").assertStatus(204);
        assertThat(eventTypes(ada.room(), 2))
                .containsExactly("participant.suspected", "participant.recovered", "participant.suspected");
    }

    @Test
    void leave_ofAGenerationThatHasLeft_answersAgainAndTellsOnce() {
        Membership ada = joined("ada");
        ada.leave().assertStatus(204);
        ada.leave().assertStatus(204);
        operator().with("Huddle-Reason", "done").close(ada.room()).assertStatus(200);
        ada.leave().assertStatus(204);

        assertThat(eventTypes(ada.room(), 2)).containsExactly("participant.left", "room.closing", "room.closed");
    }

    private Membership inState(String state) {
        Membership membership = joined("ada");
        bring(membership, state);
        return membership;
    }

    private void bring(Membership membership, String state) {
        switch (state) {
            case "present" -> membership.renew().assertStatus(200);
            case "suspect" -> membership.media("failed").assertStatus(204);
            case "suspended" -> membership.suspend().assertStatus(200);
            case "left" -> membership.leave().assertStatus(204);
            case "removed" -> remove(membership).assertStatus(204);
            case "expired" -> {
                lapse(membership.session());
                awaitState(membership.session(), "absent");
            }
            default -> throw new IllegalArgumentException(state);
        }
    }

    private void pull(String trigger, Membership membership) {
        switch (trigger) {
            case "join" -> membership.api().join(membership.room()).assertStatus(200);
            case "renew", "suspend" -> command(trigger, membership).assertStatus(200);
            case "failed", "leave", "remove" -> command(trigger, membership).assertStatus(204);
            case "lost" -> membership.media("disconnected").assertStatus(204);
            case "expire" -> lapse(membership.session());
            case "silence" -> {
                site.advance(Duration.ofSeconds(HEARTBEAT));
                site.advance(Duration.ofSeconds(HEARTBEAT + 1));
            }
            case "close" -> operatorWithReason().close(membership.room()).assertStatus(200);
            default -> throw new IllegalArgumentException(trigger);
        }
    }

    private Answer command(String command, Membership membership) {
        return switch (command) {
            case "renew" -> membership.renew();
            case "suspend" -> membership.suspend();
            case "failed" -> membership.media("failed");
            case "leave" -> membership.leave();
            case "remove" -> remove(membership);
            default -> throw new IllegalArgumentException(command);
        };
    }

    private Answer remove(Membership membership) {
        return operatorWithReason()
                .post(
                        "/admin/sessions/" + membership.session() + "/remove",
                        Api.json().add("generation", membership.generation()).build());
    }

    private static String operation(String command) {
        return command.equals("failed") ? "media" : command;
    }

    private static void assertLease(String lease, Row before, Row after) {
        Duration length = Duration.between(after.provenAt(), after.leaseUntil());
        switch (lease) {
            case "ttl" -> assertThat(length).hasSeconds(LEASE);
            case "suspended" -> assertThat(length).hasSeconds(SUSPENDED_LEASE);
            case "unchanged" -> assertThat(after.leaseUntil()).isEqualTo(before.leaseUntil());
            case "ended" -> assertThat(after.leaseUntil()).isBefore(before.leaseUntil());
            default -> throw new IllegalArgumentException(lease);
        }
    }
}
