package io.huddle.contract;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;

/** One generation of one session, as a client knows it from its join, with the calls the client makes. */
record Membership(Api api, String room, String session, long generation) {
    /** Reads the answer of a join, which must be one. */
    static Membership of(Api api, Answer joined) {
        JsonObject json = joined.json();
        if (joined.status() != 200 && joined.status() != 201) {
            throw new AssertionError("no membership: " + joined);
        }
        return new Membership(
                api,
                json.getString("room"),
                json.getString("session"),
                json.getJsonNumber("generation").longValue());
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

    Answer media(String state) {
        return api.media(room, session, generation, state);
    }

    Answer leave() {
        return api.leave(room, session, generation);
    }

    /** The same participant joins again, as from another device: the next generation. */
    Membership again() {
        return of(api, api.join(room));
    }

    /** The same session with another generation than its own. */
    Membership of(long other) {
        return new Membership(api, room, session, other);
    }
}
