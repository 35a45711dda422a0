package io.huddle.mesh;

import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A registry behind a network: requests and replies get lost, copies arrive late, and sometimes nobody answers at all; by
 * order of the test, or by a seed.
 */
final class FaultyRegistry {
    /** What happens to one call. */
    enum Fault {
        NONE,
        /** It never arrives. */
        LOST_REQUEST,
        /** It has its effect, and nobody says so. */
        LOST_REPLY,
        /** It arrives when nobody waits any more. */
        LATE,
        /** It arrives now, and a copy of it later. */
        TWICE
    }

    final RegistryBackend registry;
    final Queue<String> calls = new ConcurrentLinkedQueue<>();
    private final RegistryBackend real;
    private final Map<String, Queue<Fault>> orders = new ConcurrentHashMap<>();
    private final List<Runnable> late = new ArrayList<>();
    private volatile boolean away;
    private final Map<String, Queue<Runnable>> before = new ConcurrentHashMap<>();
    private @Nullable Random random;
    private int percent;

    FaultyRegistry(RegistryBackend real) {
        this.real = real;
        this.registry = (RegistryBackend) Proxy.newProxyInstance(
                FaultyRegistry.class.getClassLoader(),
                new Class<?>[] {RegistryBackend.class},
                (proxy, method, arguments) -> call(method, arguments));
    }

    /** The next calls of the method meet these faults, one each. */
    void order(String method, Fault... faults) {
        orders.computeIfAbsent(method, name -> new ConcurrentLinkedQueue<>()).addAll(List.of(faults));
    }

    /** Does something right before the next call of the method. */
    void before(String method, Runnable work) {
        before.computeIfAbsent(method, name -> new ConcurrentLinkedQueue<>()).add(work);
    }

    /** From now on so many of a hundred writes meet a fault. */
    synchronized void scatter(Random seeded, int ofHundred) {
        random = seeded;
        percent = ofHundred;
    }

    void away(boolean isAway) {
        away = isAway;
    }

    long calls(String method) {
        return calls.stream().filter(method::equals).count();
    }

    /** Whatever is still under way arrives. */
    void deliverLate() {
        List<Runnable> due;
        synchronized (this) {
            due = List.copyOf(late);
            late.clear();
        }
        due.forEach(Runnable::run);
    }

    /** What it returns is the stage that its caller asked the registry for. */
    @SuppressWarnings("FutureReturnValueIgnored")
    private @Nullable Object call(Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (!CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            return invoke(method, arguments);
        }
        calls.add(name);
        Runnable first =
                before.getOrDefault(name, new ConcurrentLinkedQueue<>()).poll();
        if (first != null) {
            first.run();
        }
        if (away) {
            return unavailable();
        }
        switch (fault(name)) {
            case LOST_REQUEST -> {
                return unavailable();
            }
            case LOST_REPLY -> {
                invoke(method, arguments);
                return unavailable();
            }
            case LATE -> {
                later(method, arguments);
                return unavailable();
            }
            case TWICE -> later(method, arguments);
            case NONE -> {}
        }
        return invoke(method, arguments);
    }

    private Fault fault(String method) {
        Fault ordered =
                orders.getOrDefault(method, new ConcurrentLinkedQueue<>()).poll();
        if (ordered != null) {
            return ordered;
        }
        synchronized (this) {
            return random != null && random.nextInt(100) < percent
                    ? Fault.values()[1 + random.nextInt(Fault.values().length - 1)]
                    : Fault.NONE;
        }
    }

    private synchronized void later(Method method, Object[] arguments) {
        late.add(() -> {
            try {
                invoke(method, arguments);
            } catch (Throwable failed) {
                throw new IllegalStateException(failed);
            }
        });
    }

    private @Nullable Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }

    private static CompletableFuture<Object> unavailable() {
        return CompletableFuture.failedFuture(new RegistryUnavailable("as ordered by the test", new Throwable()));
    }
}
