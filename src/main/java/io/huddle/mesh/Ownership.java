package io.huddle.mesh;

import io.huddle.membership.LeaseGained;
import io.huddle.membership.LeaseLost;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeState;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.setting.Release;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ClientActivating;
import io.huddle.stream.ClientReserving;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamEnded;
import io.huddle.stream.StreamOpened;
import io.huddle.stream.Streams;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps the registry's records of this node's streams: see {@link Holdings}, which this connects to the node's life. Safe
 * for use by any thread.
 */
@ApplicationScoped
public class Ownership {
    private static final Logger LOG = Logger.getLogger(Ownership.class.getName());
    private static final Duration VALIDITY = Duration.ofSeconds(5);
    private static final Duration BEAT = Duration.ofSeconds(1);

    /** Every live stream is compared with the registry within this time. */
    private static final Duration COMPARISON = Duration.ofSeconds(8);

    /** The registry keeps records for a day without it. */
    private static final Duration REFRESH = Duration.ofMinutes(5);

    /** How long a stop waits for the streams' records to be gone, and then for the rest and for the number. */
    private static final Duration HAND_BACK = Duration.ofSeconds(3);

    private static final Duration LEAVE = Duration.ofSeconds(3);

    /** Within what time a drain is to be over. */
    private static final Duration DRAIN = Duration.ofSeconds(20);

    /** After those who look at the stream's rights, which is what others have without a word. */
    private static final int LATE = Interceptor.Priority.APPLICATION + 600;

    @Inject
    private Streams streams;

    @Inject
    private RegistryBackend registry;

    @Inject
    private Membership membership;

    @Inject
    private PeerFences peers;

    @Inject
    private MeshMetrics metrics;

    @Inject
    private Background background;

    @Inject
    private Event<ClientConnected> connected;

    @Inject
    private Event<ClientDisconnected> disconnected;

    @Resource
    private ManagedExecutorService executor;

    @SuppressWarnings("NullAway.Init")
    private Holdings holdings;

    private final Lifecycle lifecycle = new Lifecycle();
    private final String version = Release.version();

    @PostConstruct
    void prepare() {
        holdings = new Holdings(
                registry,
                Seat.of(membership),
                new Takeover.Fences(peers::fence, peers::probe, peers::isNowhere),
                new Holdings.Here(
                        (client, connection) -> streams.find(client, connection).isPresent(), streams::takeOver),
                new Holdings.Told(connected::fire, disconnected::fire),
                metrics::claim,
                executor);
    }

    void start(@Observes DatabaseReady ready) {
        background.repeat("the removal of what streams left in the registry", BEAT, BEAT, this::beat);
        background.repeat("the refreshing of the registry", REFRESH, REFRESH, this::refresh);
        background.repeat("the comparison of streams with the registry", COMPARISON, COMPARISON, holdings::compare);
    }

    private void beat() {
        publishState();
        holdings.beat();
        if (lifecycle.isOverdue(System.nanoTime(), DRAIN, isHandedBack())) {
            LOG.warning("not all registrations are handed back yet; they are tried again each second");
        }
    }

    private void publishState() {
        lifecycle.next(
                membership.lease().isPresent(),
                streams.isDraining(),
                membership.problem().isPresent());
        boolean isDrained = lifecycle.state() == Lifecycle.State.DRAINING && isHandedBack();
        membership.publishState(new NodeState(lifecycle.state().label(), version, streams.count(), isDrained));
    }

    /** True if nothing of this node's is left in the registry, as far as is known, and nobody is connected to it. */
    private boolean isHandedBack() {
        return streams.all().isEmpty() && holdings.isHandedBack(Duration.ZERO);
    }

    /**
     * What a stop does without the stop: no stream is let in any more, clients are sent away, their records handed back. The
     * node stays a member, so that operators see it until it is stopped, and so that whoever still asks it by REST is
     * answered; a member without records costs nobody anything when it ends. There is no way back but a restart. Idempotent;
     * may take as long as it takes to send all clients away.
     */
    void drain() {
        if (lifecycle.drain(System.nanoTime())) {
            LOG.info("this node drains: its clients are sent to other nodes");
        }
        streams.drain();
        publishState();
    }

    private void refresh() {
        Optional<Warrant> warrant = membership.warrant(VALIDITY);
        if (warrant.isPresent()) {
            Answers.of(registry.refreshNode(warrant.get()));
        }
    }

    /** Who owns the client id is settled before the client is greeted. */
    void reserving(@Observes @Priority(LATE) ClientReserving event) {
        holdings.reserving(event);
    }

    void activating(@Observes ClientActivating event) {
        holdings.activating(event.stream());
    }

    void opened(@Observes StreamOpened event) {
        holdings.opened(event.stream());
    }

    /** True if the stream is recorded under this node's present number, as far as is known. */
    boolean isOwner(ClientStream stream) {
        return membership
                .lease()
                .filter(now -> holdings.isRecorded(stream, now.number()))
                .isPresent();
    }

    void ended(@Observes StreamEnded event) {
        holdings.ended(event.stream(), event.cause());
    }

    /** This node has a number again: every stream is recorded under it. */
    void gained(@Observes LeaseGained event) {
        publishState();
        holdings.gained();
    }

    void lost(@Observes LeaseLost event) {
        LOG.log(
                Level.WARNING,
                "the lease of node {0} can not be proven: clients keep their streams, calls are refused",
                Long.toString(event.lease().number()));
    }

    /**
     * The server stops: clients are sent away, their records handed back, and then the number is. A number that cannot be
     * handed back in order, because something of it may still be in the registry, runs out instead, and others clean up.
     */
    void stopping(@Observes @BeforeDestroyed(ApplicationScoped.class) Object event) {
        lifecycle.stop();
        publishState();
        streams.drain();
        Optional<Membership.Lease> lease = membership.lease();
        boolean isHandedBack = holdings.isHandedBack(HAND_BACK)
                || lease.filter(held -> isCleaned(held.number())).isPresent();
        if (!isHandedBack) {
            LOG.warning("not all registrations were handed back: others remove them when this node's lease has ended");
            membership.stop();
            lifecycle.stopped();
            return;
        }
        try {
            Answers.within(LEAVE, membership.leave());
        } catch (RuntimeException away) {
            LOG.log(Level.FINE, "the number was not given back; it runs out", away);
        }
        lifecycle.stopped();
    }

    /** Whatever was under way is refused from then on. */
    private boolean isCleaned(long number) {
        try {
            Answers.within(LEAVE, registry.cleanupNode(number));
            return true;
        } catch (RuntimeException away) {
            LOG.log(Level.FINE, "the registry did not remove this node's records", away);
            return false;
        }
    }

    /** Where this node is in its life. */
    Lifecycle.State state() {
        return lifecycle.state();
    }

    /**
     * Writes the stream's metadata to the registry.
     *
     * @return true if it is there; false if it is not yet, which is made good later
     */
    CompletionStage<Boolean> synchronise(ClientStream stream) {
        return holdings.synchronise(stream);
    }

    /** Replaces the recorded metadata, if this connection still owns the record. */
    CompletionStage<Boolean> write(Warrant warrant, ClientStream stream, String metadata) {
        return holdings.write(warrant, stream, metadata);
    }
}
