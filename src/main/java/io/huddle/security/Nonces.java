package io.huddle.security;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;

/**
 * What a client may use once, on all nodes together: the nonce of a signed handshake. Safe for use by any thread.
 *
 * <p>There is no quota, neither of clients nor of nonces: a row is written only for a signature that proved right, so only
 * who holds a key can make any, and a row is gone soon.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Nonces {
    private static final String TRIM = "DELETE FROM client_nonce WHERE hash IN (SELECT hash FROM client_nonce WHERE at"
            + " < ? ORDER BY at FETCH FIRST ? ROWS ONLY)";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    /**
     * True for the first of all who ask for this pair. Two at once both find nothing and one insert fails; it runs again
     * and finds the other.
     */
    @Retried
    public boolean consume(String client, String nonce) throws SQLException {
        // The length says where the one ends and the other begins.
        String hash = Proofs.hash(client.length() + "\n" + client + "\n" + nonce);
        String insert = "INSERT INTO client_nonce (hash, at) SELECT CAST(? AS VARCHAR(64)), " + clock.now()
                + " WHERE NOT EXISTS (SELECT 1 FROM client_nonce WHERE hash = ?)";
        try (Connection connection = database.connection();
                PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, hash);
            statement.setString(2, hash);
            return statement.executeUpdate() == 1;
        }
    }

    /** Deletes at most so many that were used before the instant; answers how many. */
    @Retried
    int trim(Instant usedBefore, int most) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement delete = connection.prepareStatement(TRIM)) {
            delete.setTimestamp(1, Timestamp.from(usedBefore));
            delete.setInt(2, most);
            return delete.executeUpdate();
        }
    }
}
