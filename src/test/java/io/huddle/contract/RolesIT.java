package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may do what, and what a caller is told of that which it may not see. */
class RolesIT extends Contract {
    private static final String NOBODY = "s-00000000000000000000000000";

    @Test
    void otherTeamsRoom_answersAsIfItDidNotExist() {
        Membership ada = joined("ada");
        Trace before = Trace.of(site.store());
        for (Api stranger : List.of(outsider(), Api.of(site.node(), Tokens.integrator("x", "team-of-others")))) {
            String room = ada.room();
            stranger.room(room).assertProblem(404, "room-not-found");
            stranger.close(room).assertProblem(404, "room-not-found");
            stranger.join(room).assertProblem(404, "room-not-found");
            stranger.joinAs(room, "ada").assertProblem(404, "room-not-found");
            stranger.roster(room).assertProblem(404, "room-not-found");
            stranger.events(room, 0).assertProblem(404, "room-not-found");
            stranger.with("Accept", "text/event-stream")
                    .get("/rooms/" + room + "/events")
                    .assertProblem(404, "room-not-found");
            Membership theirs = new Membership(stranger, room, ada.session(), 1);
            theirs.renew().assertProblem(404, "room-not-found");
            theirs.suspend().assertProblem(404, "room-not-found");
            theirs.media("failed").assertProblem(404, "room-not-found");
            theirs.leave().assertProblem(404, "room-not-found");
            assertThat(stranger.rooms(team).assertStatus(200).json().getJsonArray("items"))
                    .isEmpty();
            stranger.createRoom(team, "standup", unique()).assertProblem(403, "forbidden");
        }
        before.assertUnchanged();
        String unknown = outsider().room("r-00000000000000000000000000").text();
        assertThat(outsider().room(ada.room()).text()).isEqualTo(unknown);
    }

    @Test
    void participant_actsForItselfOnly() {
        Membership ada = joined("ada");
        Api bob = participant("bob");
        Trace before = Trace.of(site.store());

        bob.room(ada.room()).assertStatus(200);
        bob.roster(ada.room()).assertStatus(200);
        bob.events(ada.room(), 0).assertStatus(200);
        bob.joinAs(ada.room(), "cyd").assertProblem(403, "forbidden");
        bob.close(ada.room()).assertProblem(403, "forbidden");
        Membership hers = new Membership(bob, ada.room(), ada.session(), 1);
        hers.renew().assertProblem(404, "session-not-found");
        hers.suspend().assertProblem(404, "session-not-found");
        hers.media("failed").assertProblem(404, "session-not-found");
        hers.leave().assertProblem(404, "session-not-found");
        assertThat(hers.renew().text())
                .isEqualTo(new Membership(bob, ada.room(), NOBODY, 1).renew().text());
        remove(bob, ada).assertProblem(403, "forbidden");

        before.assertUnchanged();
        bob.joinAs(ada.room(), "bob").assertStatus(201);
    }

    @Test
    void sessionOfAnotherRoom_underThisRoomsPath_isNotFound() {
        Membership here = joined("ada");
        Membership there = joined("ada");

        new Membership(here.api(), here.room(), there.session(), 1).renew().assertProblem(404, "session-not-found");
        integrator().renew(here.room(), there.session(), 1).assertProblem(404, "session-not-found");
    }

    @Test
    void integrator_actsForEveryParticipantOfItsTeams() {
        Membership ada = joined("ada");
        Api server = integrator();
        Membership hers = new Membership(server, ada.room(), ada.session(), 1);

        hers.renew().assertStatus(200);
        hers.suspend().assertStatus(200);
        hers.media("connected").assertStatus(204);
        Answer bob = server.joinAs(ada.room(), "bob").assertStatus(201);
        assertThat(bob.json().getString("participant")).isEqualTo("bob");
        server.createRoom(team, "of the server", unique()).assertStatus(201);
        hers.leave().assertStatus(204);
        remove(server, ada).assertProblem(403, "forbidden");
        server.close(ada.room()).assertStatus(200);
        assertThat(site.store().column("SELECT id FROM audit WHERE room_id = ?", ada.room()))
                .isEmpty();
    }

    @Test
    void operator_seesEverythingAndTakesPartInNothing() {
        Membership ada = joined("ada");
        Api operator = operatorWithReason();
        Trace before = Trace.of(site.store());

        operator.room(ada.room()).assertStatus(200);
        operator.roster(ada.room()).assertStatus(200);
        operator.events(ada.room(), 0).assertStatus(200);
        assertThat(operator.rooms(team).json().getJsonArray("items")).hasSize(1);
        operator.join(ada.room()).assertProblem(403, "forbidden");
        operator.joinAs(ada.room(), "ada").assertProblem(403, "forbidden");
        operator.createRoom(team, "standup", unique()).assertProblem(403, "forbidden");
        Membership hers = new Membership(operator, ada.room(), ada.session(), 1);
        hers.renew().assertProblem(403, "forbidden");
        hers.suspend().assertProblem(403, "forbidden");
        hers.media("failed").assertProblem(403, "forbidden");
        hers.leave().assertProblem(403, "forbidden");

        before.assertUnchanged();
    }

    @Test
    void operator_closing_needsAReasonWhichIsAudited() {
        Membership ada = joined("ada");
        Trace before = Trace.of(site.store());
        operator().close(ada.room()).assertProblem(400, "reason-missing");
        operator().with("Huddle-Reason", "  ").close(ada.room()).assertProblem(400, "reason-missing");
        operator().with("Huddle-Reason", "x".repeat(201)).close(ada.room()).assertProblem(400, "invalid-request");
        before.assertUnchanged();

        operator().with("Huddle-Reason", "x".repeat(200)).close(ada.room()).assertStatus(200);

        assertThat(audit(ada.room())).containsExactly("on-call room.close " + "x".repeat(200));
        JsonObject closing = events(ada.room(), 2).get(0);
        assertThat(closing.getString("type")).isEqualTo("room.closing");
        assertThat(closing.getString("reason")).isEqualTo("operator");
    }

    @Test
    void operator_removing_endsExactlyThatGenerationAndIsAudited() {
        Membership first = joined("ada");
        Membership second = first.again();
        Trace before = Trace.of(site.store());
        remove(operator(), second).assertProblem(400, "reason-missing");
        remove(operatorWithReason(), first).assertProblem(409, "stale-generation");
        before.assertUnchanged();

        remove(operatorWithReason(), second).assertStatus(204);

        assertThat(audit(first.room())).containsExactly("on-call session.remove left behind after the standup");
        assertThat(site.store().column("SELECT session_id FROM audit WHERE room_id = ?", first.room()))
                .containsExactly(second.session());
        assertThat(site.store().column("SELECT generation FROM audit WHERE room_id = ?", first.room()))
                .containsExactly(2L);
        // The deed and its line carry one time, being of one transaction.
        assertThat(site.store().column("SELECT at FROM audit WHERE room_id = ?", first.room()))
                .isEqualTo(site.store()
                        .column(
                                "SELECT at FROM room_event WHERE room_id = ? AND type = 'participant.removed'",
                                first.room()));
        assertThat(second.api().join(first.room()).assertStatus(200).json().getInt("generation"))
                .isEqualTo(3);
    }

    @Test
    void callerWithoutARole_mayNothing() {
        Membership ada = joined("ada");
        Api nobody = Api.of(site.node(), Tokens.of("eve").teams(team).signed());
        Trace before = Trace.of(site.store());

        nobody.room(ada.room()).assertProblem(403, "forbidden");
        nobody.rooms(team).assertProblem(403, "forbidden");
        nobody.createRoom(team, "standup", unique()).assertProblem(403, "forbidden");
        nobody.join(ada.room()).assertProblem(403, "forbidden");
        nobody.close(ada.room()).assertProblem(403, "forbidden");
        nobody.roster(ada.room()).assertProblem(403, "forbidden");
        nobody.events(ada.room(), 0).assertProblem(403, "forbidden");
        new Membership(nobody, ada.room(), ada.session(), 1).renew().assertProblem(403, "forbidden");

        before.assertUnchanged();
    }

    @Test
    void callerWithoutATeam_listsNothing() {
        joined("ada");
        Api nobody = Api.of(site.node(), Tokens.participant("eve"));

        assertThat(nobody.get("/rooms").assertStatus(200).json().getJsonArray("items"))
                .isEmpty();
    }

    private List<String> audit(String room) {
        return site
                .store()
                .column(
                        "SELECT actor || ' ' || action || ' ' || reason FROM audit WHERE room_id = ?"
                                + " AND action <> 'roster.read'",
                        room)
                .stream()
                .map(String::valueOf)
                .toList();
    }

    private static Answer remove(Api api, Membership membership) {
        return api.post(
                "/admin/sessions/" + membership.session() + "/remove",
                Api.json().add("generation", membership.generation()).build());
    }
}
