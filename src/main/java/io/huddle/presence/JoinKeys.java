package io.huddle.presence;

import io.huddle.store.Database;
import io.huddle.web.IdempotencyKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Which generation a join's idempotency key made. Kept for as long as the session; used under the session's lock. */
@ApplicationScoped
@Transactional(value = TxType.MANDATORY, rollbackOn = Exception.class)
public class JoinKeys {
    private static final String FIND = "SELECT generation FROM session_join WHERE session_id = ? AND join_key = ?";
    private static final String KEEP = "INSERT INTO session_join (session_id, join_key, generation) VALUES (?, ?, ?)";

    @Inject
    private Database database;

    @Nullable
    Long generation(String session, IdempotencyKey key) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(FIND)) {
            query.setString(1, session);
            query.setString(2, key.value());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    void keep(String session, IdempotencyKey key, long generation) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement insert = connection.prepareStatement(KEEP)) {
            insert.setString(1, session);
            insert.setString(2, key.value());
            insert.setLong(3, generation);
            insert.executeUpdate();
        }
    }
}
