package io.huddle.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;
import org.jspecify.annotations.Nullable;

/**
 * One node: a Liberty process of its own from the packaged server, with its own output folder, port and log.
 *
 * <p>{@link #start} returns at once, so that several nodes can start in parallel; {@link #awaitReady} waits. A node that is
 * still running when the JVM ends is killed. Methods of one node are called by one thread at a time; {@link #log} and
 * {@link #uri} by any.
 */
public final class Node implements AutoCloseable {
    private static final Duration START_DEADLINE = Duration.ofMinutes(3);
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(40);
    private static final Duration ANSWER_DEADLINE = Duration.ofSeconds(5);

    /** A start takes many seconds of both cores: asking every 50 ms would lengthen it. */
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(250);

    private static final int TAIL = 8_000;

    /** Halves what a start costs; never for measurements. */
    public static final String CHEAP_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m";

    private final String name;
    private final Path folder;
    private final int port;
    private final Map<String, String> environment;

    /** The same for every start of this node: it could not open the key store of its first start otherwise. */
    private final String keystorePassword = UUID.randomUUID().toString();

    private @Nullable Process process;

    private Node(String name, Path folder, int port, Map<String, String> environment) {
        this.name = name;
        this.folder = folder;
        this.port = port;
        this.environment = environment;
    }

    /**
     * Launches a node in a fresh folder. What an earlier, killed run left behind is ended first.
     *
     * @param name the folder's name; letters, digits, dot and hyphen; unique among the nodes that run at once
     * @param environments what the node is given, later maps winning: of its {@link Store}, its {@link Tokens}, …
     */
    @SafeVarargs
    public static Node start(String name, Map<String, String>... environments) {
        return start(name, Ports.free(), environments);
    }

    /** The same on a port that others know before the node does: what it is told of itself may name it. */
    @SafeVarargs
    public static Node start(String name, int port, Map<String, String>... environments) {
        if (!name.matches("[A-Za-z0-9.-]+")) {
            throw new IllegalArgumentException("a node's name becomes a folder and an argument: " + name);
        }
        Map<String, String> all = new HashMap<>();
        for (Map<String, String> environment : environments) {
            all.putAll(environment);
        }
        Processes.forLeftovers(nodes(), Node::endLeftover);
        Path folder = nodes().resolve(name);
        endLeftover(folder);
        Processes.deleteTree(folder);
        Processes.own(folder);
        Node node = new Node(name, folder, port, Map.copyOf(all));
        node.launch();
        return node;
    }

    /** Launches the ended node again: same port, same folder, its log going on. Does not wait. */
    public void restart() {
        if (isAlive()) {
            throw new IllegalStateException("node " + name + " still runs as " + java().pid());
        }
        launch();
    }

    /**
     * Waits until the node serves: started, ready, and the application itself refusing a call without a token. Health
     * alone is not enough, since Liberty answers UP while no application is deployed.
     *
     * @throws IllegalStateException after 90 s, or as soon as the process ends, with the end of its log
     */
    public Node awaitReady() {
        try {
            Awaiting.within(START_DEADLINE, PROBE_INTERVAL, "node " + name + " ready")
                    .failFast("node " + name + " ended", () -> !isAlive())
                    .until(this::isReady);
        } catch (ConditionTimeoutException | TerminalFailureException unready) {
            throw new IllegalStateException(unready.getMessage() + "; the end of its log:\n" + tail(), unready);
        }
        return this;
    }

    /** Whether the node serves right now. */
    public boolean isReady() {
        return status("/health/started") == 200 && status("/health/ready") == 200 && refusesStrangers();
    }

    /** Whether the process exists; a paused one does. */
    public boolean isAlive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** SIGKILL: the node dies in the middle of whatever it does. */
    public void kill9() {
        Processes.destroyTree(launched().toHandle());
        awaitEnd();
    }

    /** SIGSTOP: the node freezes with its connections and locks held. */
    public void pause() {
        Processes.signal(java(), "STOP");
    }

    /** SIGCONT: the node goes on, believing no time has passed. */
    public void resume() {
        Processes.signal(java(), "CONT");
    }

    /** SIGTERM, and the wait for an orderly end. */
    public void terminate() {
        java().destroy();
        awaitEnd();
    }

    /** Kills the node if it still runs: a test that wants an orderly end asks for it. */
    @Override
    public void close() {
        if (isAlive()) {
            kill9();
        }
    }

    public String name() {
        return name;
    }

    public int port() {
        return port;
    }

    /** An address on this node; {@code path} starts with a slash. */
    public URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    /** The process id of the node's JVM. */
    public long pid() {
        return java().pid();
    }

    /** Where the node writes its logs and first-failure records. */
    public Path logs() {
        return folder.resolve("output").resolve("huddle").resolve("logs");
    }

    /** Everything the node has written to its console so far, over all its starts. */
    public String log() {
        try {
            return Files.exists(console()) ? Files.readString(console()) : "";
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void launch() {
        ProcessBuilder builder = new ProcessBuilder(
                        wlp().resolve("bin/server").toString(), "run", "huddle", "--", mark(name))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(console().toFile()));
        Map<String, String> env = builder.environment();
        env.put("JVM_ARGS", CHEAP_START);
        env.put("KEYSTORE_PASSWORD", keystorePassword);
        env.putAll(environment);
        env.put("WLP_OUTPUT_DIR", folder.resolve("output").toString());
        env.put("HTTP_PORT", Integer.toString(port));
        try {
            Process launched = builder.start();
            process = launched;
            Files.writeString(pidFile(folder), Long.toString(launched.pid()));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Processes.destroyTree(launched.toHandle())));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * The JVM of the node. {@code server run} is a shell script that replaces itself by Java, with the same pid; the
     * descendants are looked at in case another version of the script forks.
     */
    private ProcessHandle java() {
        ProcessHandle launched = launched().toHandle();
        return Stream.concat(Stream.of(launched), launched.descendants())
                .filter(Processes::isJava)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("node " + name + " has no JVM; its log:\n" + tail()));
    }

    private void awaitEnd() {
        Awaiting.until(STOP_DEADLINE, "end of node " + name, () -> !isAlive());
    }

    private Process launched() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("node " + name + " was never launched");
        }
        return running;
    }

    private boolean refusesStrangers() {
        HttpResponse<String> answer = get("/api/v1/rooms?team=x");
        return answer != null
                && answer.statusCode() == 401
                && answer.headers().firstValue("Content-Type").orElse("").startsWith(Answer.PROBLEM);
    }

    private int status(String path) {
        HttpResponse<String> answer = get(path);
        return answer == null ? 0 : answer.statusCode();
    }

    private @Nullable HttpResponse<String> get(String path) {
        HttpRequest request = Http.request(uri(path)).timeout(ANSWER_DEADLINE).build();
        try {
            return Http.send(request, BodyHandlers.ofString());
        } catch (UncheckedIOException notYet) {
            return null;
        }
    }

    private String tail() {
        String log = log();
        return log.substring(Math.max(0, log.length() - TAIL));
    }

    private Path console() {
        return folder.resolve("console.log");
    }

    private static void endLeftover(Path folder) {
        String mark = mark(String.valueOf(folder.getFileName()));
        Processes.recorded(pidFile(folder), mark).ifPresent(Processes::killTree);
    }

    /**
     * A Liberty variable that nothing reads: it stands on the command line, so that a pid which the kernel gave to another
     * process since is not mistaken for the node. It must not begin with {@code huddle.}: the product would take it for a
     * setting, know none of that name, and refuse to start.
     */
    private static String mark(String name) {
        return "--test.node=" + name;
    }

    private static Path pidFile(Path folder) {
        return folder.resolve("node.pid");
    }

    private static Path wlp() {
        return Path.of(System.getProperty("huddle.wlp", "target/liberty/wlp")).toAbsolutePath();
    }

    static Path nodes() {
        return Path.of(System.getProperty("huddle.nodes", "target/nodes")).toAbsolutePath();
    }
}
