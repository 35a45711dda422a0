package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.EventType;
import io.huddle.event.LifecycleLog;
import io.huddle.presence.RenewalBatch.Renewed;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Refusal;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.Tag;

/** The counters and histograms of leases. Never labelled with an id. Safe for use by any thread. */
@ApplicationScoped
public class PresenceMetrics {
    private static final Logger LOG = Logger.getLogger(PresenceMetrics.class.getName());
    private static final Metadata LATENESS = described(
            "huddle_lease_renewal_lateness",
            "How long after the heartbeat interval a renewal of a session that was not suspended came. Without synthetic"
                    + " rooms.");
    private static final Metadata RECONNECT = described(
            "huddle_reconnect", "From suspect to present again, by a renewal or a join. Without synthetic rooms.");
    private static final Metadata GHOST = described(
            "huddle_ghost",
            "How long an entry had outlived its last proof of life when it ended by expiry, or by an operator's removal"
                    + " while it was drifting. Without synthetic rooms.");
    private static final Metadata EXPIRY_LAG =
            described("huddle_expiry_lag", "From a lease's end to its expiry event. Without synthetic rooms.");
    private static final Metadata STALE = described(
            "huddle_stale_generation_rejections", "Commands of an older generation, refused. Without synthetic rooms.");
    private static final Metadata FALSE_REMOVALS = described(
            "huddle_false_removals",
            "Expired, and the same participant back within the false-removal window without having left. Without synthetic"
                    + " rooms.");
    private static final Metadata GRACE =
            described("huddle_outage_grace", "Outages after which the leases were lengthened, once for all nodes.");
    private static final Metadata QUEUE_FULL =
            described("huddle_renewal_queue_full", "Renewals refused because the queue of this node was full.");

    private static final List<EventType> WITHOUT_REASON = List.of(
            EventType.PARTICIPANT_JOINED,
            EventType.PARTICIPANT_RECONNECTED,
            EventType.PARTICIPANT_RECOVERED,
            EventType.PARTICIPANT_SUSPENDED,
            EventType.PARTICIPANT_LEFT,
            EventType.PARTICIPANT_EXPIRED);

    /** Those that carry a generation; whoever adds one adds it here, to be counted from zero. */
    private static final List<String> COMMANDS =
            List.of("join", "renew", "suspend", "leave", "media", "remove", "stream-closed", "node-lost", "signal");

    private static final List<Refusal> REFUSALS = List.of(
            Refusal.STALE_GENERATION,
            Refusal.LEASE_EXPIRED,
            Refusal.SESSION_ENDED,
            Refusal.ROOM_CLOSING,
            Refusal.ROOM_CLOSED);

    private Duration falseRemoval = Duration.ZERO;

    @Inject
    private MetricRegistry registry;

    @Inject
    private EventMetrics events;

    @Inject
    private LifecycleLog log;

    @Inject
    private Chronicle chronicle;

    @Inject
    private Event<StaleCommand> staleCommands;

    @PostConstruct
    void prepare() {
        falseRemoval = Duration.ofSeconds(Setting.FALSE_REMOVAL_SECONDS.value());
    }

    /** What has not happened yet is counted as zero, so that the first one is seen as an increase. */
    void start(@Observes DatabaseReady ready) {
        List.of(LATENESS, RECONNECT, GHOST, EXPIRY_LAG).forEach(registry::timer);
        List.of(FALSE_REMOVALS, GRACE, QUEUE_FULL).forEach(registry::counter);
        declareAccepted();
        for (String command : COMMANDS) {
            registry.counter(STALE, new Tag("operation", command));
            for (Refusal refusal : REFUSALS) {
                events.declareRejected(command, refusal.slug());
            }
        }
        events.declareRejected("join", Refusal.ROOM_FULL.slug());
    }

    private void declareAccepted() {
        for (EventType type : WITHOUT_REASON) {
            events.declare(type, "none");
        }
        for (Doubt doubt : Doubt.values()) {
            events.declare(EventType.PARTICIPANT_SUSPECTED, doubt.wire());
        }
        events.declare(EventType.PARTICIPANT_REMOVED, Ending.OPERATOR.wire());
        events.declare(EventType.PARTICIPANT_REMOVED, Ending.ROOM_CLOSED.wire());
    }

    void renewed(Collection<Renewed> renewals) {
        if (renewals.isEmpty()) {
            return;
        }
        var timer = registry.timer(LATENESS);
        Lateness all = Lateness.NONE;
        for (Renewed one : renewals) {
            timer.update(one.lateness());
            all = all.and(one.lateness());
        }
        chronicle.renewed(all);
    }

    void renewalQueueFull() {
        registry.counter(QUEUE_FULL).inc();
    }

    void returned(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Returned returned) {
        Seat before = returned.before();
        if (returned.synthetic()) {
            return;
        }
        renewedSlowly(before, returned.after(), returned.now());
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

    /** A renewal that did not pass through the batch, for instance of a suspect session: the late ones are here. */
    private void renewedSlowly(Seat before, Seat after, Instant now) {
        boolean renewed =
                after.generation() == before.generation() && after.provenAt().equals(now);
        if (renewed && before.isLive() && before.state() != SessionState.SUSPENDED) {
            Duration late = between(before.provenAt().plus(before.terms().heartbeat()), now);
            registry.timer(LATENESS).update(late);
            chronicle.renewed(Lateness.NONE.and(late));
        }
    }

    void removed(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Removed removed) {
        if (removed.drifting() && !removed.synthetic()) {
            registry.timer(GHOST).update(between(removed.provenAt(), removed.at()));
        }
    }

    void expired(@Observes(during = TransactionPhase.AFTER_SUCCESS) Sessions.Expired expired) {
        if (expired.synthetic()) {
            return;
        }
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
        boolean stale = rejection.refusal() == Refusal.STALE_GENERATION;
        if (!rejection.isSynthetic()) {
            events.rejected(rejection.command(), rejection.refusal().slug());
        }
        if (stale && !rejection.isSynthetic()) {
            registry.counter(STALE, new Tag("operation", rejection.command())).inc();
        }
        if (stale) {
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
