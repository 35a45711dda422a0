package io.huddle.presence;

import io.huddle.presence.Places.Place;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.Identity;
import io.huddle.security.Role;
import io.huddle.stream.ClientStream;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Instant;

/**
 * What a stream may do. A ticket's stream: what concerns its own session and generation. A key's stream: what a caller by
 * REST may do with the key's roles and teams; its subject is the key's id. Safe for use by any thread.
 */
@ApplicationScoped
public class StreamRights {
    @Inject
    private Places places;

    @Inject
    private Rooms rooms;

    @Inject
    private SessionRates rates;

    /**
     * Where the session belongs, if the stream may act for this generation of it.
     *
     * @throws Refused {@code session-not-found} if it may not, {@code stale-generation} for another generation than the
     *     ticket's
     */
    Place own(ClientStream stream, String command, String session, long generation) throws SQLException {
        try {
            return stream.identity() instanceof Identity.Participant me
                    ? own(me, command, session, generation)
                    : places.own(caller(stream), session);
        } catch (Rejection stale) {
            throw stale;
        } catch (Refused refused) {
            rates.guess(stream.clientId());
            throw refused;
        }
    }

    private Place own(Identity.Participant me, String command, String session, long generation) throws SQLException {
        Place place = me.session().equals(session) ? places.find(session) : null;
        if (place == null) {
            throw Places.notFound();
        }
        if (me.generation() != generation) {
            throw Rejections.of(
                    Refusal.STALE_GENERATION, command, place.room(), session, me.generation(), place.synthetic());
        }
        return place;
    }

    /**
     * Nothing if the stream may read this room.
     *
     * @throws Refused {@code room-not-found} if it may not
     */
    void read(ClientStream stream, String room) throws SQLException {
        if (stream.identity() instanceof Identity.Participant me) {
            Place place = places.find(me.session());
            if (place == null || !place.room().equals(room)) {
                throw Rooms.notFound();
            }
        } else {
            rooms.read(caller(stream), room);
        }
    }

    /** A key has no end of its own; when it is taken away, its streams are closed. */
    private static Caller caller(ClientStream stream) {
        if (stream.identity() instanceof Identity.Client key) {
            Caller caller = new Caller(key.client(), key.roles(), key.teams(), Instant.MAX);
            caller.need(Role.values());
            return caller;
        }
        throw new IllegalStateException("a participant's stream calls by its ticket alone");
    }
}
