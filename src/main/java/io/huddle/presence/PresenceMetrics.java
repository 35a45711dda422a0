package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.LifecycleLog;
import io.huddle.presence.RenewalBatch.Renewed;
import io.huddle.setting.Setting;
import io.huddle.web.Refusal;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/** The counters and histograms of leases. Never labelled with an id. Safe for use by any thread. */
@ApplicationScoped
public class PresenceMetrics {
    private static final Logger LOG = Logger.getLogger(PresenceMetrics.class.getName());
    private static final Metadata LATENESS =
            described("huddle_lease_renewal_lateness", "How long after the heartbeat interval a renewal came.");
    private static final Metadata RECONNECT =
            described("huddle_reconnect", "From suspect to present again, by a renewal or a join.");
    private static final Metadata GHOST =
            described("huddle_ghost", "How long an entry that ended by expiry had outlived its last proof of life.");
    private static final Metadata EXPIRY_LAG =
            described("huddle_expiry_lag", "From a lease's end to its expiry event.");
    private static final Metadata STALE =
            described("huddle_stale_generation_rejections", "Commands of an older generation, refused.");
    private static final Metadata FALSE_REMOVALS = described(
            "huddle_false_removals",
            "Expired, and the same participant back within the false-removal window without having left.");
    private static final Metadata GRACE =
            described("huddle_outage_grace", "Outages after which the leases were lengthened, once for all nodes.");
    private static final Metadata QUEUE_FULL =
            described("huddle_renewal_queue_full", "Renewals refused because the queue of this node was full.");

    private final Duration falseRemoval = Duration.ofSeconds(Setting.FALSE_REMOVAL_SECONDS.value());

    @Inject
    private MetricRegistry registry;

    @Inject
    private EventMetrics events;

    @Inject
    private LifecycleLog log;

    @Inject
    private Event<StaleCommand> staleCommands;

    void renewed(Collection<Renewed> renewals) {
        var timer = registry.timer(LATENESS);
        renewals.forEach(one -> timer.update(one.lateness()));
    }

    void renewalQueueFull() {
        registry.counter(QUEUE_FULL).inc();
    }

    void returned(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Returned returned) {
        Seat before = returned.before();
        Instant suspectAt = before.suspectAt();
        boolean present = returned.after().state() == SessionState.PRESENT;
        if (before.state() == SessionState.SUSPECT && present && suspectAt != null) {
            registry.timer(RECONNECT).update(between(suspectAt, returned.now()));
        }
        boolean back = returned.after().generation() > before.generation();
        boolean hadExpired =
                before.ending() == Ending.EXPIRED || (returned.removes() && before.isLapsed(returned.now()));
        if (back && hadExpired && !before.leaseUntil().plus(falseRemoval).isBefore(returned.now())) {
            registry.counter(FALSE_REMOVALS).inc();
        }
    }

    void expired(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Expired expired) {
        registry.timer(EXPIRY_LAG).update(between(expired.leaseUntil(), expired.at()));
        registry.timer(GHOST).update(between(expired.provenAt(), expired.at()));
    }

    /** What a stage that fences generations would have refused. */
    void overlooked(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Overlooked overlooked) {
        events.accepted(overlooked.command(), Refusal.STALE_GENERATION.slug());
    }

    void graced(@Observes(during = TransactionPhase.AFTER_SUCCESS) Heartbeat.OutageGraced graced) {
        registry.counter(GRACE).inc();
        LOG.log(Level.WARNING, "no sweep for {0} ms; lengthened the leases of {1} sessions", new Object[] {
            graced.silence().toMillis(), graced.sessions()
        });
    }

    /** Told by the edge, once for each refused command. */
    void rejected(Rejection rejection) {
        events.rejected(rejection.command(), rejection.refusal().slug());
        if (rejection.refusal() == Refusal.STALE_GENERATION) {
            registry.counter(STALE, new Tag("operation", rejection.command())).inc();
            log.stale(rejection.command(), rejection.room(), rejection.session(), rejection.currentGeneration());
            staleCommands.fire(new StaleCommand(rejection.room()));
        }
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }

    private static Duration between(Instant from, Instant to) {
        Duration duration = Duration.between(from, to);
        return duration.isNegative() ? Duration.ZERO : duration;
    }
}
