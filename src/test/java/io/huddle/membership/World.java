package io.huddle.membership;

import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Virtual time in which several nodes run on one thread. What happens depends on nothing but what the test does. */
final class World {
    private static final long START_MS = 1_800_000_000_000L;

    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private long nanos;
    private long count;
    private long storeStepMs;

    /** Work at an instant; of two at the same the one that was made first comes first. */
    private static final class Due implements Comparable<Due> {
        private final long at;
        private final long order;
        private final Runnable work;
        private final @Nullable Host host;
        private boolean off;

        Due(long at, long order, @Nullable Host host, Runnable work) {
            this.at = at;
            this.order = order;
            this.host = host;
            this.work = work;
        }

        @Override
        public int compareTo(Due other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    long nanos() {
        return nanos;
    }

    long storeMs() {
        return START_MS + TimeUnit.NANOSECONDS.toMillis(nanos) + storeStepMs;
    }

    void stepStore(long ms) {
        storeStepMs += ms;
    }

    Runnable in(long delay, @Nullable Host host, Runnable work) {
        Due one = new Due(nanos + Math.max(0, delay), count++, host, work);
        due.add(one);
        return () -> one.off = true;
    }

    void inMs(long delay, Runnable work) {
        in(TimeUnit.MILLISECONDS.toNanos(delay), null, work);
    }

    /** Lets so much time pass; {@code after} is run after everything that happens. */
    void run(long ms, Runnable after) {
        long end = nanos + TimeUnit.MILLISECONDS.toNanos(ms);
        while (!due.isEmpty() && due.peek().at <= end) {
            Due next = due.poll();
            nanos = Math.max(nanos, next.at);
            if (next.off) {
                continue;
            }
            if (next.host != null && next.host.pausedUntil > nanos) {
                due.add(new Due(next.host.pausedUntil, next.order, next.host, guarded(next)));
                continue;
            }
            next.work.run();
            after.run();
        }
        nanos = end;
    }

    void run(long ms) {
        run(ms, () -> {});
    }

    boolean until(long ms, BooleanSupplier condition) {
        for (long waited = 0; waited < ms && !condition.getAsBoolean(); waited += 10) {
            run(10);
        }
        return condition.getAsBoolean();
    }

    private static Runnable guarded(Due due) {
        return () -> {
            if (!due.off) {
                due.work.run();
            }
        };
    }

    /** A machine: its clocks, and whether it runs. */
    final class Host {
        private long pausedUntil;
        private long asleepNanos;
        private long wallStepMs;

        /** Nothing of this machine runs for so long; clocks go on. */
        void pause(long ms) {
            pausedUntil = Math.max(pausedUntil, nanos + TimeUnit.MILLISECONDS.toNanos(ms));
        }

        /** As a pause in which the monotonic clock stands still as well. */
        void sleep(long ms) {
            pause(ms);
            asleepNanos += TimeUnit.MILLISECONDS.toNanos(ms);
        }

        boolean isPaused() {
            return pausedUntil > nanos;
        }

        void stepWall(long ms) {
            wallStepMs += ms;
        }

        Clocks clocks() {
            return new Clocks(
                    () -> 77_000_000_000L + nanos - asleepNanos,
                    () -> START_MS - 5_000_000 + wallStepMs + TimeUnit.NANOSECONDS.toMillis(nanos));
        }

        Alarms alarms() {
            return (delay, work) -> in(delay, this, work);
        }
    }

    Host host() {
        return new Host();
    }

    /** A store that takes its time, and of whose messages some get lost. */
    interface Weather {
        /** How long until the request reaches the store; negative if it does not. */
        long requestMs();

        /** How long until the answer comes back; negative if it does not. */
        long answerMs();
    }

    /** Carries one operation to the store and its answer back. A loss is told as a failure after three seconds, or never. */
    <T> CompletionStage<T> carry(Host host, Weather weather, Supplier<CompletionStage<T>> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        long request = weather.requestMs();
        long answer = weather.answerMs();
        if (request < 0) {
            fail(host, result, request);
            return result;
        }
        inMs(
                request,
                () -> operation.get().whenComplete((value, failed) -> {
                    if (answer < 0) {
                        fail(host, result, answer);
                    } else if (failed != null) {
                        in(TimeUnit.MILLISECONDS.toNanos(answer), host, () -> result.completeExceptionally(failed));
                    } else {
                        in(TimeUnit.MILLISECONDS.toNanos(answer), host, () -> result.complete(value));
                    }
                }));
        return result;
    }

    private <T> void fail(Host host, CompletableFuture<T> result, long kind) {
        if (kind == -1) {
            in(
                    TimeUnit.SECONDS.toNanos(3),
                    host,
                    () -> result.completeExceptionally(
                            new RegistryUnavailable("lost", new IllegalStateException("by the test"))));
        }
    }

    /** A registry of which nothing is wanted but that it begins epochs. */
    static RegistryBackend registry(java.util.function.Function<String, CompletionStage<Void>> beginEpoch) {
        return (RegistryBackend) Proxy.newProxyInstance(
                World.class.getClassLoader(), new Class<?>[] {RegistryBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("beginEpoch")) {
                        return beginEpoch.apply((String) arguments[0]);
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    static <T> List<T> list() {
        return new ArrayList<>();
    }
}
