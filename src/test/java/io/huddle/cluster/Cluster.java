package io.huddle.cluster;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Postgres;
import io.huddle.harness.Store;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.TlsReceiver;
import io.huddle.harness.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Two nodes on a PostgreSQL of their own, started once for all classes of this package. The second node reaches the
 * database through {@link #wire}, and its clock runs {@link #AHEAD} ahead where libfaketime is installed (Debian's package
 * {@code faketime}), so that whatever trusted a node's clock would fail everywhere and not in one test.
 */
final class Cluster {
    /** How far the second node's clock is ahead. */
    static final Duration AHEAD = Duration.ofMinutes(3);

    /** The promise of the rosters: what has lapsed is told within this time. */
    static final Duration CONVERGENCE = Duration.ofSeconds(1);

    private static final Path FAKETIME =
            Path.of(System.getProperty("huddle.faketime", "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"));

    /** The tests are one subject that calls as fast as it can: the limits are tried elsewhere. */
    private static final Map<String, String> UNLIMITED = Map.of(
            "HUDDLE_LIMITS_REQUESTS_PER_SECOND", "100000",
            "HUDDLE_LIMITS_REQUEST_BURST", "1000000",
            "HUDDLE_LIMITS_RENEWALS_PER_SECOND", "1000",
            "HUDDLE_LIMITS_RENEWAL_BURST", "10000");

    /** What the webhook of the alerts is signed with. */
    static final String HOOK_SECRET = "C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

    private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final AtomicInteger TEAMS = new AtomicInteger();

    final Postgres postgres = Postgres.create();
    final TlsReceiver hooks = hooks();
    final TcpProxy wire = TcpProxy.to(postgres.port());
    final Store store;
    final Node one;
    final Node two;
    private final Set<Node> paused = new HashSet<>();

    private Cluster() {
        Postgres.Database database = postgres.createDatabase();
        store = Store.postgres(database);
        Store wired = Store.postgres(database, wire);
        Map<String, String> drift = drift(hooks);
        one = Node.start("cluster-1", Tokens.env(), UNLIMITED, drift, store.env());
        two = Node.start("cluster-2", Tokens.env(), UNLIMITED, drift, wired.env(), ahead());
    }

    /** The two nodes, both ready, whatever the test before did to them. */
    static Cluster healed() {
        Shared.CLUSTER.heal();
        return Shared.CLUSTER;
    }

    /** Whether the second node's clock is ahead indeed. */
    static boolean hasTwoClocks() {
        return Files.exists(FAKETIME);
    }

    /** Brings everything back: wire, nodes, readiness, and a sweep that runs. The database must be running. */
    void heal() {
        wire.mend();
        for (Node node : nodes()) {
            resume(node);
            if (!node.isAlive()) {
                node.restart();
            }
        }
        nodes().forEach(Node::awaitReady);
        allowClosed();
        Awaiting.until("a sweep that runs", this::isSwept);
    }

    /** SIGSTOP, which the next test's {@link #heal} undoes if this one does not. */
    void pause(Node node) {
        paused.add(node);
        node.pause();
    }

    /** SIGCONT for a paused node. */
    void resume(Node node) {
        if (paused.remove(node) && node.isAlive()) {
            node.resume();
        }
    }

    List<Node> nodes() {
        return List.of(one, two);
    }

    Node any(Random random) {
        return random.nextBoolean() ? one : two;
    }

    Node other(Node node) {
        return node == one ? two : one;
    }

    /** A team that no other test uses. */
    String team() {
        return "team-" + TEAMS.incrementAndGet();
    }

    /** A caller who may do everything to every participant of the team. */
    Api integrator(String team) {
        return Api.of(one, Tokens.integrator("integrator-" + team, team));
    }

    /**
     * Open rooms, written straight to the database together with their first event: a race needs many.
     *
     * @return their ids
     */
    List<String> rooms(String team, int count, int heartbeatSeconds, int leaseSeconds) {
        Random random = new SecureRandom();
        List<String> ids =
                IntStream.range(0, count).mapToObj(i -> id('r', random)).toList();
        store.update(
                "WITH made AS (INSERT INTO room (id, team, occurrence, open_occurrence, critical, synthetic,"
                        + " heartbeat_seconds, lease_seconds, suspended_lease_seconds, max_participants, state, created_by,"
                        + " created_at, seq, idempotency_key, fingerprint) SELECT id, ?, id, id, false, false, ?, ?, 30, 200,"
                        + " 'open', 'test', clock_timestamp(), 1, id, '1:' FROM unnest(string_to_array(?, ',')) AS t (id)"
                        + " RETURNING id) INSERT INTO room_event (room_id, seq, id, type, next, at, shadow)"
                        + " SELECT id, 1, 'e' || substr(id, 2), 'room.opened', 'open', clock_timestamp(), false FROM made",
                team,
                heartbeatSeconds,
                leaseSeconds,
                String.join(",", ids));
        return ids;
    }

    String room(String team, int heartbeatSeconds, int leaseSeconds) {
        return rooms(team, 1, heartbeatSeconds, leaseSeconds).get(0);
    }

    /** The database's clock: the only one that the tests, too, judge by. */
    Instant now() {
        return instant("SELECT clock_timestamp()");
    }

    Instant instant(String sql, Object... parameters) {
        Instant found = instantOrNull(sql, parameters);
        if (found == null) {
            throw new AssertionError("nothing found by " + sql + " " + List.of(parameters));
        }
        return found;
    }

    @Nullable
    Instant instantOrNull(String sql, Object... parameters) {
        List<@Nullable Object> found = store.column(sql, parameters);
        return found.isEmpty() || found.get(0) == null ? null : ((Timestamp) found.get(0)).toInstant();
    }

    long count(String sql, Object... parameters) {
        Object found = store.column(sql, parameters).get(0);
        return found == null ? 0 : ((Number) found).longValue();
    }

    /** Runs statements that return nothing, as the role that owns the tables. */
    void execute(String sql) {
        try (Connection connection = store.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        } catch (SQLException failed) {
            throw new IllegalStateException(sql, failed);
        }
    }

    /** Makes the last step of closing this room fail as if its row were locked, on every node. */
    void refuseClosed(String room) {
        execute("CREATE OR REPLACE FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'refused by the test' USING ERRCODE = '55P03'; END $$");
        execute("CREATE TRIGGER refuse_closed BEFORE UPDATE ON room FOR EACH ROW"
                + " WHEN (NEW.state = 'closed' AND NEW.id = '" + room + "') EXECUTE FUNCTION refuse_closed()");
    }

    void allowClosed() {
        execute("DROP TRIGGER IF EXISTS refuse_closed ON room");
    }

    /** The sum of a metric's values on the node, over all its labels that hold {@code label}; 0 while it has none. */
    double metric(Node node, String name, String label) {
        String text = Api.anonymous(node)
                .atRoot()
                .with("Accept", "text/plain")
                .get("/metrics")
                .text();
        return text.lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** How often an outage was forgiven, by the nodes that run. */
    double graces() {
        return nodes().stream()
                .filter(Node::isAlive)
                .mapToDouble(node -> metric(node, "huddle_outage_grace_total", ""))
                .sum();
    }

    /** Deadlocks that PostgreSQL has broken so far. */
    long deadlocks() {
        execute("SELECT pg_stat_clear_snapshot()");
        return count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
    }

    /** Whether the heartbeat of the sweeps is fresh. */
    boolean isSwept() throws SQLException {
        try (Connection connection = store.connect();
                PreparedStatement query = connection.prepareStatement(
                        "SELECT clock_timestamp() - at < INTERVAL '1 second' FROM sweep_heartbeat WHERE id = 1");
                ResultSet row = query.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    static String id(char kind, Random random) {
        return random.ints(26, 0, ALPHABET.length())
                .mapToObj(at -> String.valueOf(ALPHABET.charAt(at)))
                .collect(Collectors.joining("", kind + "-", ""));
    }

    /** A number to repeat a run by: given with {@code -Dhuddle.seed}, and always printed. */
    static long seed(String test) {
        long seed = Long.getLong("huddle.seed", System.nanoTime());
        System.out.println(test + " runs with -Dhuddle.seed=" + seed);
        return seed;
    }

    private static TlsReceiver hooks() {
        try {
            TlsReceiver hooks = TlsReceiver.start(Path.of("target", "hooks"), "localhost");
            hooks.answerWith("HTTP/1.1 204 No Content\r\n\r\n");
            return hooks;
        } catch (Exception failed) {
            throw new IllegalStateException("no receiver of webhooks", failed);
        }
    }

    /** Windows of drift so short that a test can wait for several, and a receiver of what comes of them. */
    private static Map<String, String> drift(TlsReceiver hooks) {
        return Map.of(
                "HUDDLE_ALERTS_WINDOW_SECONDS",
                "1",
                "HUDDLE_ALERTS_WEBHOOK_URL",
                "https://localhost:" + hooks.port() + "/alerts",
                "HUDDLE_ALERTS_WEBHOOK_SECRET",
                "whsec_" + HOOK_SECRET,
                "HUDDLE_ALERTS_WEBHOOK_ALLOW_PRIVATE",
                "true",
                "JVM_ARGS",
                Node.CHEAP_START + " " + hooks.trustOptions());
    }

    private static Map<String, String> ahead() {
        return hasTwoClocks()
                ? Map.of(
                        "LD_PRELOAD",
                        FAKETIME.toString(),
                        "FAKETIME",
                        "+" + AHEAD.toSeconds() + "s",
                        "FAKETIME_DONT_FAKE_MONOTONIC",
                        "1",
                        "FAKETIME_FORCE_MONOTONIC_FIX",
                        "0")
                : Map.of();
    }

    private static final class Shared {
        static final Cluster CLUSTER = new Cluster();
    }
}
