package io.huddle.presence;

import io.huddle.room.RoomState;
import io.huddle.security.Identity;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.stream.Authorizer;
import io.huddle.stream.Handshake;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/**
 * Lets a participant's stream in only for the current generation of a session that is in an open room. Safe for use by any
 * thread. Asked again at activation, since a newer generation may have joined meanwhile.
 */
@ApplicationScoped
public class SessionAuthorizer implements Authorizer {
    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    /** @throws Refused {@code forbidden} if the session is not there, or not in this generation */
    @Override
    @Retried
    public Map<String, String> authorize(Handshake handshake) {
        if (handshake.identity() instanceof Identity.Participant participant && !isCurrent(participant)) {
            throw new Refused(Refusal.FORBIDDEN, "the ticket's generation is not in the room any more");
        }
        return Map.of();
    }

    private boolean isCurrent(Identity.Participant participant) {
        String sql = "SELECT 1 FROM room_session s JOIN room r ON r.id = s.room_id WHERE s.id = ? AND s.generation = ?"
                + " AND s.state <> '" + SessionState.ABSENT.wire() + "' AND s.lease_until > " + clock.now()
                + " AND r.state = '" + RoomState.OPEN.wire() + "'";
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, participant.session());
            query.setLong(2, participant.generation());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        } catch (SQLException failed) {
            throw new IllegalStateException("the session of a handshake could not be read", failed);
        }
    }
}
