package io.huddle.harness;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server of the test run's own, which can be stopped and started again on the same port with the same
 * data.
 *
 * <p>PostgreSQL refuses to run as root. As root, zonky starts its programs through {@code unshare -U}: in a user namespace
 * without a mapping the process sees itself, and the files of root, as {@code nobody}, while for signals and file access
 * it is still the same user. This needs the right to make user namespaces, which a container may lack.
 *
 * <p>It runs with fsync off: commits survive the death of the server, not of the machine. Never measure writes on it.
 */
public final class Postgres implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final String OWNER = "huddle";

    /** On the command line of every PostgreSQL server. */
    private static final String MARK = "postgres";

    private static final AtomicInteger SERVERS = new AtomicInteger();
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final Path folder;
    private final int port = Ports.free();
    private @Nullable EmbeddedPostgres server;

    private Postgres(Path folder) {
        this.folder = folder;
    }

    /** The server that all tests of this JVM share. Whoever stops a server starts one of its own. */
    public static Postgres shared() {
        return Shared.SERVER;
    }

    /** Starts a new server, empty but for the role that owns the databases, and waits until it accepts connections. */
    public static Postgres create() {
        Processes.forLeftovers(root(), Postgres::endLeftover);
        Path folder = root().resolve(ProcessHandle.current().pid() + "-" + SERVERS.incrementAndGet());
        Processes.deleteTree(folder);
        Processes.own(folder);
        Postgres postgres = new Postgres(folder);
        Runtime.getRuntime().addShutdownHook(new Thread(postgres::close));
        postgres.start();
        postgres.execute("CREATE ROLE " + OWNER + " LOGIN PASSWORD '" + OWNER + "'");
        return postgres;
    }

    /** Starts the stopped server, on the port and with the data it had. */
    public synchronized void start() {
        if (server != null) {
            throw new IllegalStateException("PostgreSQL already runs on port " + port);
        }
        try {
            server = EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(root().resolve("programs").toFile())
                    .setDataDirectory(data(folder))
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setPort(port)
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("log_lock_waits", "on")
                    .setOutputRedirector(log())
                    .setErrorRedirector(log())
                    .setPGStartupWait(DEADLINE)
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Stops the server at once: open transactions are rolled back, their connections closed, new ones refused. */
    public synchronized void stop() {
        EmbeddedPostgres running = server;
        if (running == null) {
            throw new IllegalStateException("PostgreSQL does not run on port " + port);
        }
        server = null;
        try {
            running.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Processes.recorded(pidFile(folder), MARK).ifPresent(left -> Processes.awaitEnd(left, DEADLINE));
    }

    /** A fresh database, owned by the role the nodes use, which is no superuser. */
    public Database createDatabase() {
        String name = OWNER + "_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + " OWNER " + OWNER);
        return new Database(port, name, OWNER, OWNER);
    }

    public int port() {
        return port;
    }

    /** Ends the server if it still runs, and deletes its data. */
    @Override
    public synchronized void close() {
        if (server != null) {
            stop();
        }
        Processes.deleteTree(folder);
    }

    private void execute(String sql) {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            throw new IllegalStateException(sql, failed);
        }
    }

    private ProcessBuilder.Redirect log() {
        return ProcessBuilder.Redirect.appendTo(folder.resolve("postgres.log").toFile());
    }

    /** SIGQUIT is PostgreSQL's immediate shutdown: unlike SIGKILL it gives the shared memory back. */
    private static void endLeftover(Path folder) {
        Processes.recorded(pidFile(folder), MARK).ifPresent(server -> {
            Processes.signal(server, "QUIT");
            Processes.awaitEnd(server, DEADLINE);
        });
        Processes.deleteTree(folder);
    }

    private static Path pidFile(Path folder) {
        return data(folder).resolve("postmaster.pid");
    }

    private static Path data(Path folder) {
        return folder.resolve("data");
    }

    private static Path root() {
        return Node.nodes().resolveSibling("postgres");
    }

    /** One database of the server. The role is given with a password, though the server trusts every local caller. */
    public record Database(int port, String name, String user, String password) {
        /** As a node sees it; {@code port} is the server's own or that of a {@link TcpProxy} before it. */
        String url(int port) {
            return "jdbc:postgresql://127.0.0.1:" + port + "/" + name;
        }

        /** A connection of the test itself, straight to the server. The caller closes it. */
        public Connection connect() throws SQLException {
            return DriverManager.getConnection(url(port), user, password);
        }
    }

    private static final class Shared {
        static final Postgres SERVER = create();
    }
}
