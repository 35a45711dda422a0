package io.huddle.membership;

import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseReady;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Inject;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * This node among the others: joins, renews every 3 s, knows until when its lease is safe, declares the dead. Safe for use
 * by any thread.
 *
 * <p>Safe until the send time of the last successful renewal + lease − 500 ms, where elapsed time is the larger of the
 * monotonic and the wall clock's. Past it the node delivers nothing and answers nothing as owner.
 *
 * <p>Fires {@link LeaseGained}, {@link LeaseLost} and {@link NodeDied} as CDI events, synchronously on a thread of the
 * server. Gains and losses come in their order; an observer that takes its time delays the next of them, but not {@link
 * #lease()}, which is what protects. One that throws is logged and stops no other.
 */
@ApplicationScoped
public class Membership {
    private static final Logger LOG = Logger.getLogger(Membership.class.getName());

    /** How long a node may take to remove a dead one's remains before another does it too. */
    private static final long CLEANUP_CLAIM_MS = 10_000;

    /** This node's lease, as far as it can be proven at this instant. */
    public record Lease(long number, String process, Epoch epoch) {}

    /** Why the registry refused a write of this node. */
    public enum Doubt {
        /** The registry's epoch is another one, or a part of it has lost it. */
        OTHER_EPOCH,
        /** The node's number is dead to a part of the registry, whatever the store says. */
        WRITER_DEAD
    }

    /** One broadcast as it arrived; {@code json} is the same text on every node. */
    public record Broadcast(String type, String json, long sender) {}

    private record Parts(Member member, Neighbours neighbours, Rounds rounds, Broadcasts broadcasts) {}

    @Inject
    private @Nullable MembershipBackend backend;

    @Inject
    private @Nullable RegistryBackend registry;

    @Inject
    private @Nullable MembershipMetrics metrics;

    @Inject
    private @Nullable BeanManager beans;

    @Resource
    private @Nullable ManagedScheduledExecutorService scheduler;

    private @Nullable Parts parts;

    /** For the container. */
    public Membership() {}

    /**
     * A membership without a container, to be started and stopped by whoever makes it.
     *
     * @param name what operators are shown
     */
    public Membership(
            MembershipBackend backend,
            RegistryBackend registry,
            Terms terms,
            ScheduledExecutorService scheduler,
            Hears hears,
            String name) {
        parts = parts(backend, registry, terms, scheduler, hears, name, loss -> {}, outcome -> {}, 16);
    }

    @PostConstruct
    void make() {
        MembershipBackend store = Objects.requireNonNull(backend);
        MembershipMetrics counts = Objects.requireNonNull(metrics);
        long heartbeatMs = Setting.MESH_HEARTBEAT_MS.value();
        long leaseMs = Setting.MESH_LEASE_MS.value();
        parts = parts(
                store,
                Objects.requireNonNull(registry),
                store.isShared() ? Terms.shared(heartbeatMs, leaseMs) : Terms.alone(heartbeatMs, leaseMs),
                Objects.requireNonNull(scheduler),
                new Hears(this::tell, this::tell, this::tell),
                hostName(),
                counts::lost,
                counts::broadcast,
                Setting.MESH_BROADCAST_HANDLERS.value());
        counts.gauges(() -> parts().neighbours().count(), () -> parts().member().remainingSeconds());
    }

    void start(@Observes DatabaseReady ready) {
        start();
    }

    /** Joins, and goes on until it is stopped. */
    public void start() {
        parts().member().start();
        parts().rounds().start();
        parts().broadcasts().start();
    }

    /**
     * Ends without a word, as a crash would: the number runs out, and others remove what is registered under it.
     */
    @PreDestroy
    public void stop() {
        parts().broadcasts().stop();
        parts().rounds().stop();
        parts().member().stop();
    }

    /**
     * Ends in order: the number is given back and leaves no obligation. Whatever is registered under it has to be handed back
     * before, for nobody will remove it. The lease is lost when this returns; the answer comes within two seconds.
     */
    public CompletionStage<Void> leave() {
        parts().broadcasts().stop();
        parts().rounds().stop();
        return parts().member().leave();
    }

    /** The lease, empty as soon as it cannot be proven. Reads clocks and no store. */
    public Optional<Lease> lease() {
        return parts().member().lease();
    }

    /** Why this node cannot join as it is set, for operators; empty if nothing of the kind is known. */
    public Optional<String> problem() {
        return parts().member().problem();
    }

    /** Milliseconds on the store's clock, as far as this node can tell; empty without a safe lease. */
    public OptionalLong storeMs() {
        return parts().member().storeMs();
    }

    /** The id of this process, the same under every number that it takes. */
    public String process() {
        return parts().member().process();
    }

    /** True if the lease is safe and the epoch is older than one lease, or this is the only life the store ever had here. */
    public boolean mayDeliver() {
        return parts().member().mayDeliver();
    }

    /** A warrant for a new operation of this node, good for so long; empty without a safe lease. */
    public Optional<Warrant> warrant(Duration validity) {
        return parts().member().warrant(validity);
    }

    /** The member of this number, from a cache of a second or so; empty once it is none any more. */
    public CompletionStage<Optional<NodeInfo>> node(long number) {
        return parts().neighbours().find(number);
    }

    /**
     * The member of this number as it was up to a lease ago; empty only where the store says so. For calls along a known route:
     * whoever answers there compares number and process with its own, so that an old answer costs a detour and nothing else.
     * No proof of anything.
     */
    public CompletionStage<Optional<NodeInfo>> route(long number) {
        return parts().neighbours().route(number);
    }

    /**
     * The live members, from the store; a process that has joined anew is one, by its newest number, also while the lease of
     * an older one still runs.
     */
    public CompletionStage<List<NodeInfo>> nodes() {
        return parts().neighbours().all();
    }

    /**
     * True if the number is proven to be dead or to have left, by the store and never from a cache; false also while the
     * epoch is too young to prove an absence, and while this node has no lease.
     */
    public CompletionStage<Boolean> isGone(long number) {
        return parts().member().isGone(number);
    }

    /**
     * The remains of a dead number are removed everywhere. Until this is told, {@link NodeDied} comes again, here or on
     * another node.
     *
     * @return false if another node has taken that over, which then says it again
     */
    public CompletionStage<Boolean> cleaned(long number) {
        return parts().rounds().cleaned(number);
    }

    /**
     * The registry has refused this node's epoch or number: the store is asked at once. If it has nothing against them, a
     * refused epoch means that the registry has lost a part of its data, and begins a new epoch for all; a refused number is
     * given up, and the node joins under another. Cheap; may be called for every such refusal.
     *
     * @param number in whose name the write was; nothing happens if the node has another by now
     */
    public void doubt(Doubt why, long number) {
        parts().member().doubt(why, number);
    }

    /** Where this node's link is reached, and its key; said with the first join if it is known by then. */
    public void publishLink(String url, String key) {
        parts().member().publishLink(url, key);
    }

    /** What operators are shown of this node. Costs nothing while it is the same as before. */
    public void publishState(NodeState state) {
        parts().member().publishState(state);
    }

    /**
     * Sends to all nodes, this one included unless skipped. Best effort: what must not be lost is in the database.
     *
     * @param type of 1 to 256 characters
     * @param json one value; with its envelope at most 1 MiB
     * @return when the store has it; exceptionally {@link io.huddle.registry.RegistryUnavailable} if this node has no lease,
     *     and then nobody heard it, or if the store did not answer, and then some may have
     * @throws IllegalArgumentException if type or data are not as said
     */
    public CompletionStage<Void> broadcast(String type, String json, boolean skipSelf) {
        return parts().broadcasts().send(type, json, skipSelf);
    }

    /** Hears broadcasts of a type, on a thread of the server that it may block; several at a time. */
    public void onBroadcast(String type, Consumer<Broadcast> handler) {
        parts().broadcasts().on(type, handler);
    }

    private Parts parts() {
        return Objects.requireNonNull(parts, "made by the container");
    }

    /** Not by {@code Event.fire}, with which the first observer that throws keeps the event from the others. */
    private <T> void tell(T event) {
        for (ObserverMethod<? super T> observer : Objects.requireNonNull(beans).resolveObserverMethods(event)) {
            try {
                observer.notify(event);
            } catch (RuntimeException | Error failed) {
                LOG.log(Level.SEVERE, "an observer of " + event.getClass().getSimpleName() + " failed", failed);
            }
        }
    }

    private static Parts parts(
            MembershipBackend backend,
            RegistryBackend registry,
            Terms terms,
            ScheduledExecutorService scheduler,
            Hears hears,
            String name,
            Consumer<Loss> losses,
            Consumer<Broadcasts.Outcome> outcomes,
            int handlersAtOnce) {
        Clocks clocks = new Clocks(System::nanoTime, System::currentTimeMillis);
        Alarms alarms = Alarms.on(scheduler);
        Member member = new Member(backend, registry, terms, clocks, alarms, hears, losses, name);
        Neighbours neighbours = new Neighbours(backend, alarms, clocks, terms);
        return new Parts(
                member,
                neighbours,
                new Rounds(backend, member, neighbours, alarms, hears, CLEANUP_CLAIM_MS),
                new Broadcasts(backend, member, neighbours, alarms, outcomes, handlersAtOnce));
    }

    private static String hostName() {
        String given = System.getenv("HOSTNAME");
        if (given != null && !given.isBlank()) {
            return given;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "unknown";
        }
    }
}
