package io.huddle.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis server of the test's own, 6.2, on one port for its whole life. It writes to disk only when it is stopped in
 * order; after {@link #kill9} it comes back as it was at the last orderly stop, which means empty if there was none.
 */
public final class Redis implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    /** On the command line of every Redis server, and in the title it gives itself. */
    private static final String MARK = "redis-server";

    /** Where a server of a cluster listens for the others. */
    private static final int BUS = 10_000;

    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final Path folder;
    private final int port;
    private final List<String> options;
    private @Nullable Process process;

    private Redis(Path folder, int port, List<String> options) {
        this.folder = folder;
        this.port = port;
        this.options = options;
    }

    /** Starts an empty server and waits until it answers. What an earlier, killed run left behind is ended first. */
    public static Redis create(String... options) {
        return create(Ports.free(), List.of(options));
    }

    /** One that can be part of a cluster. */
    static Redis createForCluster() {
        int port = Ports.free();
        while (!isFree(port + BUS)) {
            port = Ports.free();
        }
        return create(
                port,
                List.of(
                        "--cluster-enabled",
                        "yes",
                        "--cluster-config-file",
                        "nodes.conf",
                        "--cluster-node-timeout",
                        "1000",
                        "--repl-diskless-sync",
                        "yes",
                        "--repl-diskless-sync-delay",
                        "0"));
    }

    private static Redis create(int port, List<String> options) {
        Processes.forLeftovers(root(), Redis::endLeftover);
        Path folder = root().resolve(ProcessHandle.current().pid() + "-" + SERVERS.incrementAndGet());
        Processes.deleteTree(folder);
        Processes.own(folder);
        Redis redis = new Redis(folder, port, options);
        redis.start();
        return redis;
    }

    /** Starts the ended server again, with what it last wrote to disk, and waits until it answers. */
    public synchronized void start() {
        if (process != null) {
            throw new IllegalStateException("Redis already runs on port " + port);
        }
        List<String> command = new ArrayList<>(List.of(program().toString(), "--port", Integer.toString(port)));
        command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
        command.addAll(options);
        try {
            Process launched = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("redis.log").toFile()))
                    .start();
            process = launched;
            Files.writeString(pidFile(folder), Long.toString(launched.pid()));
            Runtime.getRuntime().addShutdownHook(new Thread(launched::destroyForcibly));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Awaiting.until(DEADLINE, "an answer of Redis on port " + port, this::answers);
    }

    /** An orderly end, which keeps the data for the next start. */
    public synchronized void stop() {
        try (RedisCommands commands = commands()) {
            commands.ask("SAVE");
        }
        end(running()::destroy);
    }

    /** SIGKILL. */
    public synchronized void kill9() {
        end(running()::destroyForcibly);
    }

    /** SIGKILL, and a start without any data. */
    public synchronized void restartEmpty() {
        kill9();
        startEmpty();
    }

    /** Starts the ended server without any data. */
    public synchronized void startEmpty() {
        forget();
        start();
    }

    /** SIGSTOP: its connections stay, nothing is answered, its clock goes on. */
    public synchronized void pause() {
        Processes.signal(running().toHandle(), "STOP");
    }

    /** SIGCONT. */
    public synchronized void resume() {
        Processes.signal(running().toHandle(), "CONT");
    }

    public int port() {
        return port;
    }

    /** As {@code huddle.redis.url} wants it. */
    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    /** What a node must be given to use it. */
    public Map<String, String> env() {
        return Map.of("HUDDLE_REDIS_URL", url());
    }

    /** A connection of the test itself. The caller closes it. */
    public RedisCommands commands() {
        return new RedisCommands(port);
    }

    /** Ends the server if it still runs, and deletes its data. */
    @Override
    public synchronized void close() {
        if (process != null) {
            kill9();
        }
        Processes.deleteTree(folder);
    }

    private void end(Runnable signal) {
        ProcessHandle ending = running().toHandle();
        process = null;
        signal.run();
        Processes.awaitEnd(ending, DEADLINE);
    }

    private void forget() {
        try {
            Files.deleteIfExists(folder.resolve("dump.rdb"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("Redis does not run on port " + port);
        }
        return running;
    }

    private boolean answers() {
        try (RedisCommands commands = commands()) {
            // Without a password, or with one that the test knows: it is there.
            return commands.ask("PING") != null;
        } catch (UncheckedIOException notYet) {
            return false;
        } catch (IllegalStateException refused) {
            return String.valueOf(refused.getMessage()).contains("NOAUTH");
        }
    }

    private static Path program() {
        // Of each process of a build its own: a program that is being written cannot be run.
        Path folder = root().resolve("programs-" + ProcessHandle.current().pid());
        try {
            Files.createDirectories(folder);
            return ExecutableProvider.newJarResourceProvider(folder.toFile())
                    .get()
                    .toPath();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    private static void endLeftover(Path folder) {
        Processes.recorded(pidFile(folder), MARK).ifPresent(Processes::killTree);
        Processes.deleteTree(folder);
    }

    private static Path pidFile(Path folder) {
        return folder.resolve("redis.pid");
    }

    private static Path root() {
        return Node.nodes().resolveSibling("redis");
    }
}
