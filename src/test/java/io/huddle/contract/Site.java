package io.huddle.contract;

import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Postgres;
import io.huddle.harness.Store;
import io.huddle.harness.TestClock;
import io.huddle.harness.Tokens;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One node on one kind of database, which all tests of this JVM share, since a start takes many seconds.
 *
 * <p>Both are launched on first use. The clock is shared too and only ever moves on: a test takes a room of its own and
 * reads the time from answers.
 */
enum Site {
    H2,
    POSTGRESQL;

    /**
     * The outage limit lets a test move the clock by almost 30 s without the sweep taking it for an outage; others
     * let a test see in a second what takes minutes.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            "HUDDLE_SWEEP_OUTAGE_LIMIT_MS", "30000",
            "HUDDLE_RETENTION_INTERVAL_SECONDS", "1",
            "HUDDLE_EVENTS_KEEP_ALIVE_SECONDS", "1",
            "HUDDLE_SHADOW_WINDOW_SECONDS", "2",
            "HUDDLE_KEYS_SECRET", "seals the clients' secrets in the tests",
            "LOG_FORMAT", "json");

    /**
     * The running node; launched again if {@link #stopAll} has ended it.
     *
     * @throws IllegalStateException if it has ended otherwise: no request may end a node
     */
    synchronized Node node() {
        Node node = place().node();
        if (!node.isAlive()) {
            if (!place().stopped().getAndSet(false)) {
                throw new IllegalStateException("the node " + node.name() + " has ended by itself or was killed");
            }
            node.restart();
            node.awaitReady();
        }
        return node;
    }

    Store store() {
        return place().store();
    }

    TestClock clock() {
        return new TestClock(store());
    }

    /** Moves the clock on by less than the outage limit, and waits until a sweep has seen it. */
    void advance(Duration by) {
        Instant reached = beat().plus(by);
        clock().advance(by);
        Awaiting.until("a sweep at the new time", () -> !beat().isBefore(reached));
    }

    private Instant beat() {
        try (Connection connection = store().connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT at FROM sweep_heartbeat")) {
            row.next();
            return row.getTimestamp(1).toInstant();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Ends both nodes, for a test that needs others and a machine that bears two. The next use launches them again. */
    static void stopAll() {
        for (Site site : values()) {
            site.place().stopped().set(true);
            site.place().node().close();
        }
    }

    /**
     * Runs something while no sweep runs: as long as somebody else holds its row, it takes another for the one who sweeps.
     * For less than the outage limit.
     */
    void withoutSweep(Runnable action) {
        try (Connection connection = store().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeQuery("SELECT id FROM sweep_heartbeat FOR UPDATE");
            action.run();
            connection.rollback();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private Place place() {
        return this == H2 ? Shared.H2 : Shared.POSTGRES;
    }

    private record Place(Node node, Store store, AtomicBoolean stopped) {
        static Place launch(String name, Store store) {
            Node node = Node.start(name, store.env(), Tokens.env(), TestClock.env(), SETTINGS);
            return new Place(node, store, new AtomicBoolean());
        }
    }

    private static final class Shared {
        static final Place H2 = Place.launch("contract-h2", Store.h2(folder("contract-h2")));
        static final Place POSTGRES = Place.launch(
                "contract-postgres", Store.postgres(Postgres.shared().createDatabase()));

        static {
            H2.node().awaitReady();
            POSTGRES.node().awaitReady();
        }

        /** Inside of the node's own folder, which every run begins afresh. */
        private static Path folder(String node) {
            return Path.of(System.getProperty("huddle.nodes", "target/nodes"), node, "data");
        }
    }
}
