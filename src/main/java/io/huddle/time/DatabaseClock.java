package io.huddle.time;

import io.huddle.setting.Setting;
import io.huddle.store.Database;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/**
 * The database's clock: the only clock that judges leases. Safe for use by any thread.
 *
 * <p>On PostgreSQL {@code clock_timestamp()}, on H2 an alias of that name which {@code io.huddle.store.Schema} makes.
 * Both read the clock at the moment of the call and not at the start of the transaction, so that a statement after a lock
 * sees the time after the lock. With {@code huddle.test.clock} a one-row table shifts it; that switch is refused
 * unless the server listens on loopback only.
 */
@ApplicationScoped
public class DatabaseClock {
    private static final String SHIFTED =
            "(clock_timestamp() + (SELECT shift_seconds FROM test_clock WHERE id = 1) * INTERVAL '1' SECOND)";

    @Inject
    private Database database;

    private String expression = "clock_timestamp()";

    @PostConstruct
    void configure() {
        if (Setting.TEST_CLOCK.isOn()) {
            expression = SHIFTED;
        }
    }

    /** The expression to put into a statement; its type is {@code timestamp with time zone}. */
    public String now() {
        return expression;
    }

    /** Reads the clock in a statement of its own, after whatever locks the transaction has taken. */
    public Instant read() throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement("SELECT " + expression);
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getTimestamp(1).toInstant();
        }
    }
}
