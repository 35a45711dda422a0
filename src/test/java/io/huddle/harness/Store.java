package io.huddle.harness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which database a node uses: what the node is told of it, and the test's own way in.
 *
 * @param driver the jar that the node loads, as a pattern
 * @param url the database as the node reaches it, which may lead through a {@link TcpProxy}
 * @param directUrl the database as the test reaches it
 * @param onConnect what the node runs on each new connection
 */
public record Store(String driver, String url, String directUrl, String user, String password, String onConnect) {
    private static final String POSTGRES_OPTIONS =
            "?tcpKeepAlive=true&logServerErrorDetail=false&socketTimeout=5&connectTimeout=2&loginTimeout=2&ApplicationName=huddle";
    private static final String POSTGRES_ON_CONNECT = "SET idle_in_transaction_session_timeout = '1s';"
            + " SET lock_timeout = '500ms'; SET statement_timeout = '800ms'; SET plan_cache_mode = force_generic_plan";

    /**
     * H2 in a file below {@code folder}. Whichever process opens the file first serves it to the others, so a test can
     * look in while the node runs; connect only while it does, or the node will depend on the test's JVM.
     */
    public static Store h2(Path folder) {
        String url = "jdbc:h2:file:" + folder.toAbsolutePath().resolve("huddle") + ";AUTO_SERVER=TRUE";
        return new Store("h2-*.jar", url, url, "huddle", "huddle", "SET LOCK_TIMEOUT 500");
    }

    public static Store postgres(Postgres.Database database) {
        return postgres(database, database.port());
    }

    /** The node reaches the database through the proxy, the test past it. */
    public static Store postgres(Postgres.Database database, TcpProxy proxy) {
        return postgres(database, proxy.port());
    }

    private static Store postgres(Postgres.Database database, int port) {
        return new Store(
                "postgresql-*.jar",
                database.url(port) + POSTGRES_OPTIONS,
                database.url(database.port()),
                database.user(),
                database.password(),
                POSTGRES_ON_CONNECT);
    }

    /** What a {@link Node} is given. */
    public Map<String, String> env() {
        return Map.of(
                "DB_DRIVER", driver,
                "DB_URL", url,
                "DB_USER", user,
                "DB_PASSWORD", password,
                "DB_ON_CONNECT", onConnect);
    }

    /** A connection of the test itself, in auto-commit mode. The caller closes it. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(directUrl, user, password);
    }

    /** Runs one statement with its parameters and answers how many rows it changed. */
    public int update(String sql, Object... parameters) {
        try (Connection connection = connect();
                PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException(sql, failed);
        }
    }

    /** The first column of all rows, in the order of the query; a NULL is null. */
    public List<@Nullable Object> column(String sql, Object... parameters) {
        try (Connection connection = connect();
                PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            List<@Nullable Object> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getObject(1));
            }
            return values;
        } catch (SQLException failed) {
            throw new IllegalStateException(sql, failed);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int at = 0; at < parameters.length; at++) {
            statement.setObject(at + 1, parameters[at]);
        }
        return statement;
    }
}
