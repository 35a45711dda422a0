package io.huddle.shadow;

import io.huddle.event.Appended;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.presence.Sessions.Overlooked;
import io.huddle.presence.StreamMarks;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/**
 * Compares a room soon after each of its transitions, and all rooms once a window, on whichever node comes first. Safe for
 * use by any thread.
 *
 * <p>After the commit and on a thread of its own, so no command waits for it. What a SIGKILL takes, or what does not fit, the
 * next window finds.
 */
@ApplicationScoped
public class ShadowWatch {
    private static final Logger LOG = Logger.getLogger(ShadowWatch.class.getName());
    private static final Duration SOON = Duration.ofMillis(250);
    private static final Duration WINDOW_LOOK = Duration.ofSeconds(1);
    private static final int MOST_WAITING = 10_000;
    private static final int ROOMS_AT_ONCE = 200;
    private static final int NODES_SECONDS = 2;
    private static final Metadata MISMATCHES = Metadata.builder()
            .withName("huddle_shadow_mismatches")
            .withDescription("Differences that began between the roster that is shown and the one by leases."
                    + " Counted by the node that found them.")
            .build();

    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private final Map<String, Overlooked> stale = new ConcurrentHashMap<>();

    @Inject
    private Comparisons comparisons;

    @Inject
    private StreamMarks marks;

    @Inject
    private Membership membership;

    @Inject
    private MetricRegistry registry;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        for (MismatchKind kind : MismatchKind.values()) {
            registry.counter(MISMATCHES, new Tag("kind", kind.wire()));
        }
        Duration old = Duration.ofSeconds(Setting.RETENTION_INTERVAL_SECONDS.value());
        background.repeat("the shadow comparison", SOON, SOON, this::compareChanged);
        background.repeat("the window of the shadow comparison", WINDOW_LOOK, WINDOW_LOOK, this::compareAll);
        background.repeat("the retention of mismatches", old, old, this::forget);
    }

    void changed(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        if (changed.size() < MOST_WAITING) {
            changed.add(appended.event().room());
        }
    }

    void overlooked(@Observes(during = TransactionPhase.AFTER_SUCCESS) Overlooked overlooked) {
        if (stale.size() < MOST_WAITING) {
            stale.put(overlooked.session(), overlooked);
        }
    }

    private void compareChanged() throws SQLException {
        if (changed.isEmpty() && stale.isEmpty()) {
            return;
        }
        List<String> rooms = drain(changed);
        List<Overlooked> late = drain(stale.values());
        if (comparisons.isAnyCompared()) {
            for (Overlooked one : late) {
                if (comparisons.stale(one.room(), one.session(), one.at())) {
                    count(MismatchKind.STALE_GENERATION);
                }
            }
            compare(rooms);
        }
    }

    private void compareAll() throws SQLException {
        if (comparisons.isAnyCompared() && comparisons.claimWindow()) {
            repairMarks();
            List<String> rooms = comparisons.next("");
            while (!rooms.isEmpty()) {
                compare(rooms);
                rooms = comparisons.next(rooms.get(rooms.size() - 1));
            }
        }
    }

    private void compare(List<String> rooms) throws SQLException {
        if (!rooms.isEmpty()) {
            comparisons.compare(rooms).forEach(this::count);
        }
    }

    /** While the registry does not say which nodes there are, the marks stay as they are. */
    private void repairMarks() throws SQLException {
        try {
            List<NodeInfo> nodes = membership.nodes().toCompletableFuture().get(NODES_SECONDS, TimeUnit.SECONDS);
            marks.repair(nodes);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException unknown) {
            LOG.log(Level.FINE, "the nodes are not known now", unknown);
        }
    }

    private void forget() throws SQLException {
        while (comparisons.forget()) {
            LOG.fine("removed mismatches past their retention");
        }
    }

    private void count(MismatchKind kind) {
        registry.counter(MISMATCHES, new Tag("kind", kind.wire())).inc();
    }

    /** Some of what waits, each once; what comes meanwhile comes again. */
    private static <T> List<T> drain(Collection<T> waiting) {
        List<T> some = new ArrayList<>();
        Iterator<T> each = waiting.iterator();
        while (each.hasNext() && some.size() < ROOMS_AT_ONCE) {
            some.add(each.next());
            each.remove();
        }
        return some;
    }
}
