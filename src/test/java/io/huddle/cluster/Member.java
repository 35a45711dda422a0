package io.huddle.cluster;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import jakarta.json.JsonObject;
import java.time.Instant;

/** One generation of a session, as whoever joined it knows it. */
record Member(Api api, String room, String participant, String session, long generation, Instant leaseUntil) {
    /** Joins, and fails unless that was accepted. */
    static Member join(Api api, String room, String participant) {
        return of(api, api.joinAs(room, participant));
    }

    static Member of(Api api, Answer joined) {
        joined.assertStatus(joined.status() == 201 ? 201 : 200);
        JsonObject membership = joined.json();
        return new Member(
                api,
                membership.getString("room"),
                membership.getString("participant"),
                membership.getString("session"),
                membership.getInt("generation"),
                Instant.parse(membership.getString("leaseUntil")));
    }

    Member on(Node node) {
        return new Member(api.on(node), room, participant, session, generation, leaseUntil);
    }

    /** An older or newer generation of the same session. */
    Member generation(long other) {
        return new Member(api, room, participant, session, other, leaseUntil);
    }

    Answer renew() {
        return api.renew(room, session, generation);
    }

    Answer renew(long counter) {
        return api.renew(room, session, generation, counter);
    }

    Answer suspend() {
        return api.suspend(room, session, generation);
    }

    Answer suspend(long counter) {
        return api.suspend(room, session, generation, counter);
    }

    Answer leave() {
        return api.leave(room, session, generation);
    }

    Answer media(String state) {
        return api.media(room, session, generation, state);
    }
}
