package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Tickets: each opens one stream, for one generation of one session, once and soon. Safe for use by any thread.
 *
 * <p>Whether the generation is still the current one is not known here; that is asked above.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Tickets {
    private static final String REPLACE = "UPDATE client_ticket SET generation = ?, hash = ?, expires_at = ?,"
            + " consumed_at = NULL WHERE session_id = ?";
    private static final String INSERT =
            "INSERT INTO client_ticket (generation, hash, expires_at, session_id) VALUES (?, ?, ?, ?)";
    private static final String CONSUMED = "SELECT session_id, generation FROM client_ticket WHERE hash = ?";
    private static final String TRIM = "DELETE FROM client_ticket WHERE session_id IN (SELECT session_id FROM"
            + " client_ticket WHERE expires_at < ? ORDER BY expires_at FETCH FIRST ? ROWS ONLY) AND expires_at < ?";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    private final Duration lifetime = Duration.ofSeconds(Setting.TICKET_SECONDS.value());

    /** A ticket as its bearer gets it; the text is stored nowhere. */
    public record Ticket(String text, Instant expiresAt) {}

    /**
     * Makes a ticket in the caller's transaction, which holds the session; the session's unused one is void.
     *
     * @param now by the database's clock
     */
    @Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
    public Ticket issue(String session, long generation, Instant now) throws SQLException {
        Ticket ticket = new Ticket(Proofs.random(), now.plus(lifetime));
        if (write(REPLACE, ticket, session, generation) == 0) {
            write(INSERT, ticket, session, generation);
        }
        return ticket;
    }

    /** Uses the ticket up: of all who try, on all nodes, one gets whose it is, and the others nothing. */
    @Retried
    public Optional<Identity.Participant> consume(String text) throws SQLException {
        String hash = Proofs.hash(text);
        String use = "UPDATE client_ticket SET consumed_at = " + clock.now()
                + " WHERE hash = ? AND consumed_at IS NULL AND expires_at > " + clock.now();
        try (Connection connection = database.connection();
                PreparedStatement update = connection.prepareStatement(use);
                PreparedStatement query = connection.prepareStatement(CONSUMED)) {
            update.setString(1, hash);
            if (update.executeUpdate() != 1) {
                return Optional.empty();
            }
            query.setString(1, hash);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new Identity.Participant(row.getString(1), row.getLong(2)))
                        : Optional.empty();
            }
        }
    }

    /** Deletes at most so many that ended before the instant; answers how many. */
    @Retried
    int trim(Instant endedBefore, int most) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement delete = connection.prepareStatement(TRIM)) {
            delete.setTimestamp(1, Timestamp.from(endedBefore));
            delete.setInt(2, most);
            delete.setTimestamp(3, Timestamp.from(endedBefore));
            return delete.executeUpdate();
        }
    }

    private int write(String sql, Ticket ticket, String session, long generation) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, generation);
            statement.setString(2, Proofs.hash(ticket.text()));
            statement.setTimestamp(3, Timestamp.from(ticket.expiresAt()));
            statement.setString(4, session);
            return statement.executeUpdate();
        }
    }
}
