package io.huddle.store;

import io.huddle.setting.Setting;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;

/** Brings the schema to the version of this build, and refuses to go on with any other. */
@ApplicationScoped
public class Schema {
    /** The number of the newest file in {@code db/}. */
    public static final String VERSION = "5";

    /** Beyond the convergence interval a stopped node could freeze the others: see the page on locks. */
    private static final int LONGEST_MS = 1_000;

    private static final Logger LOG = Logger.getLogger(Schema.class.getName());

    @Inject
    private Database database;

    /**
     * Migrates, asserts the version and the bounds of the pooled connections, and declares the database ready.
     *
     * <p>Several nodes may do this at once. Idempotent.
     *
     * @throws DatabaseUnavailable if the database does not answer; the caller tries again later
     * @throws IllegalStateException if it answers but is not fit; the message says what to change
     */
    public void bringUp() {
        try {
            Dialect dialect = prepare();
            migrate(dialect);
            if (Setting.TEST_CLOCK.isOn()) {
                prepareTestClock();
            }
            assertBounds(dialect);
            database.ready(dialect);
        } catch (SQLException | RuntimeException failed) {
            if (Failure.of(failed) == Failure.UNAVAILABLE) {
                throw new DatabaseUnavailable("the database does not answer", failed);
            }
            if (failed instanceof RuntimeException unfit) {
                throw unfit;
            }
            throw new IllegalStateException("the schema could not be brought up", failed);
        }
    }

    private Dialect prepare() throws SQLException {
        try (Connection connection = database.migration().getConnection();
                Statement statement = connection.createStatement()) {
            Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
            if (dialect == Dialect.H2) {
                statement.execute("CREATE ALIAS IF NOT EXISTS clock_timestamp FOR 'java.time.OffsetDateTime.now()'");
            }
            return dialect;
        }
    }

    /** After the migrations, which refuse to begin in a schema that holds a table. */
    private void prepareTestClock() throws SQLException {
        try (Connection connection = database.migration().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS test_clock (id INTEGER PRIMARY KEY, shift_seconds"
                    + " DOUBLE PRECISION NOT NULL)");
            statement.execute(
                    "INSERT INTO test_clock SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM test_clock WHERE id = 1)");
        }
    }

    private void migrate(Dialect dialect) {
        Flyway flyway = Flyway.configure(Schema.class.getClassLoader())
                .dataSource(database.migration())
                .locations(
                        dialect == Dialect.POSTGRESQL
                                ? new String[] {"classpath:db/migration", "classpath:db/postgresql"}
                                : new String[] {"classpath:db/migration"})
                .validateMigrationNaming(true)
                .load();
        flyway.migrate();
        MigrationInfo current = flyway.info().current();
        String found = current == null ? "none" : String.valueOf(current.getVersion());
        if (!found.equals(VERSION)) {
            throw new IllegalStateException("the schema is at version " + found + " but this build needs " + VERSION
                    + "; start the newest release, or restore the database it belongs to");
        }
    }

    /** A node stopped in the middle of a transaction must not hold its locks for longer than the rosters may lag. */
    private void assertBounds(Dialect dialect) throws SQLException {
        if (dialect != Dialect.POSTGRESQL) {
            return;
        }
        List<String> needed = List.of("idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout");
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            for (String setting : needed) {
                long found = milliseconds(statement, setting);
                if (found <= 0 || found > LONGEST_MS) {
                    throw new IllegalStateException(setting + " of the pooled connections is " + found
                            + " ms but must be between 1 and " + LONGEST_MS + "; set db.on-connect as the README says");
                }
            }
            warnOfPlans(statement);
        }
    }

    /** With plans of its own for each batch PostgreSQL may read the whole table; with generic ones it uses the key. */
    private static void warnOfPlans(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SHOW plan_cache_mode")) {
            if (row.next() && !row.getString(1).equals("force_generic_plan")) {
                LOG.warning("plan_cache_mode of the pooled connections is " + row.getString(1)
                        + ": renewals are slower than they need be; set db.on-connect as the README says");
            }
        }
    }

    private static long milliseconds(Statement statement, String setting) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT setting FROM pg_settings WHERE name = '" + setting + "'")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
