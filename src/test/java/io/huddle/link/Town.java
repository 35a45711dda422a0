package io.huddle.link;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** A few nodes in one JVM whose links run through {@link Pipe}. */
final class Town implements AutoCloseable {
    private static final int WATCH_MS = 10;

    private final Map<String, House> houses = new ConcurrentHashMap<>();
    private final List<Pipe> pipes = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    private volatile boolean unreachable;
    private volatile boolean hanging;

    /** Small bounds and short times, for a test to change one of them. */
    static final class Bounds {
        int frameBytes = 1 << 20;
        int bufferBytes = 1 << 21;
        int calls = 512;
        int inboundCalls = 64;
        int inboundBytes = 1 << 22;
        Duration ping = Duration.ofMillis(100);
        Duration idle = Duration.ofSeconds(60);
        Duration remembered = Duration.ofSeconds(60);

        Limits limits() {
            return new Limits(
                    4,
                    frameBytes,
                    bufferBytes,
                    calls,
                    inboundCalls,
                    inboundBytes,
                    Duration.ofMillis(500).toNanos(),
                    ping.toNanos(),
                    3,
                    idle.toNanos(),
                    remembered.toNanos(),
                    1 << 16,
                    1 << 17,
                    16);
        }
    }

    static Limits limits() {
        return limits(bounds -> {});
    }

    static Limits limits(Consumer<Bounds> change) {
        Bounds bounds = new Bounds();
        change.accept(bounds);
        return bounds.limits();
    }

    /** One node. */
    final class House {
        final String process;
        final Operations operations = new Operations();
        final Map<Measured, LongAdder> counted = new ConcurrentHashMap<>();
        final List<Link> released = new CopyOnWriteArrayList<>();
        final Switchboard board;
        volatile Optional<Self> self;

        House(long number, String process, Limits limits) {
            this.process = process;
            this.self = Optional.of(new Self(number, process));
            this.board = new Switchboard(
                    limits,
                    operations,
                    System::nanoTime,
                    (what, count) -> counted.computeIfAbsent(what, key -> new LongAdder())
                            .add(count),
                    Alarm.own(),
                    () -> self,
                    this::dial,
                    released::add);
            ScheduledFuture<?> unused =
                    scheduler.scheduleWithFixedDelay(board::watch, WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
        }

        Peer peer() {
            return new Peer(self.orElseThrow().number(), process, "ws://localhost/mesh", "");
        }

        long counted(Measured what) {
            return counted.getOrDefault(what, new LongAdder()).sum();
        }

        private CompletionStage<Link> dial(Peer peer) {
            CompletableFuture<Link> opened = new CompletableFuture<>();
            if (unreachable) {
                opened.completeExceptionally(new IllegalStateException("unreachable"));
            } else if (!hanging) {
                scheduler.execute(() -> opened.complete(open(this, Town.this.house(peer.process()))));
            }
            return opened;
        }
    }

    House house(String process) {
        House house = houses.get(process);
        if (house == null) {
            throw new IllegalStateException("no house of process " + process);
        }
        return house;
    }

    House add(long number, String process) {
        return add(number, process, limits());
    }

    House add(long number, String process, Limits limits) {
        House house = new House(number, process, limits);
        houses.put(process, house);
        return house;
    }

    List<Pipe> pipes() {
        return pipes;
    }

    Pipe pipe() {
        return pipes.get(pipes.size() - 1);
    }

    void unreachable(boolean is) {
        unreachable = is;
    }

    void hanging(boolean is) {
        hanging = is;
    }

    /** Opens a link between two, and answers the dialer's end of it: the left one of its pipe. */
    Link open(House dialer, House other) {
        Pipe pipe = new Pipe();
        Self one = dialer.self.orElseThrow();
        Self two = other.self.orElseThrow();
        Link left = new Link(
                new Link.Ends(one.number(), two.number(), two.process(), one.process(), 1),
                dialer.board.shared(),
                pipe.left()::send,
                (code, why) -> pipe.close(code, pipe.left()));
        Link right = new Link(
                new Link.Ends(two.number(), one.number(), one.process(), one.process(), 1),
                other.board.shared(),
                pipe.right()::send,
                (code, why) -> pipe.close(code, pipe.right()));
        pipe.connect(left, right);
        pipes.add(pipe);
        other.board.admit(right);
        dialer.board.admit(left);
        return left;
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
