package io.huddle.mesh;

import io.huddle.membership.LeaseGained;
import io.huddle.membership.LeaseLost;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeDied;
import io.huddle.registry.Capability;
import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What dead nodes left behind: removed, told of as {@link NodeClientsOrphaned}, and shown to operators. Safe for use by any
 * thread.
 *
 * <p>Every node delivers, whichever of them removed. It looks for something to deliver when it removed something, when it
 * has joined, and at every beat.
 */
@ApplicationScoped
public class Orphans {
    private static final Logger LOG = Logger.getLogger(Orphans.class.getName());
    private static final Duration BEAT = Duration.ofSeconds(3);

    /** A third of a claim, so that one renewal may fail. */
    private static final Duration RENEWAL = Duration.ofSeconds(10);

    @Inject
    private RegistryBackend registry;

    @Inject
    private Membership membership;

    @Inject
    private Background background;

    @Inject
    private OrphanMetrics metrics;

    @Inject
    private Event<NodeClientsOrphaned> orphaned;

    @Resource
    private ManagedExecutorService executor;

    @SuppressWarnings("NullAway.Init")
    private OrphanQueue queue;

    @SuppressWarnings("NullAway.Init")
    private OrphanDrain drain;

    @SuppressWarnings("NullAway.Init")
    private Remains remains;

    @PostConstruct
    void prepare() {
        LocalOrphans local = new LocalOrphans(registry, LocalOrphans.Bounds.DEFAULT, uptime());
        queue = registry.capabilities().contains(Capability.DURABLE_ORPHANS)
                ? new DurableOrphans(registry, membership::warrant)
                : local;
        drain = new OrphanDrain(
                queue,
                membership::mayDeliver,
                registry::getClientIncludingPending,
                orphaned::fire,
                executor,
                metrics::redelivered);
        remains = new Remains(registry, local, membership::cleaned, drain::wake, executor);
    }

    /** Milliseconds of this process, from one on: zero means none. */
    private static LongSupplier uptime() {
        long start = System.nanoTime();
        return () -> 1 + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    void start(@Observes DatabaseReady ready) {
        metrics.begin();
        background.repeat("the account of orphans", Duration.ZERO, BEAT, this::count);
        background.repeat("the delivery of orphans", BEAT, BEAT, this::beat);
        background.repeat("the holding of orphans", RENEWAL, RENEWAL, drain::renew);
    }

    private void count() {
        CompletionStage<OrphanAccount> unused =
                queue.account().whenComplete((account, away) -> metrics.counted(account));
    }

    private void beat() {
        remains.again();
        drain.beat();
    }

    void joined(@Observes LeaseGained gained) {
        drain.beat();
    }

    void fenced(@Observes LeaseLost lost) {
        CompletionStage<Void> unused = drain.fence();
        remains.forget();
    }

    void died(@Observes NodeDied died) {
        remains.died(died.number());
    }

    @PreDestroy
    void stop() {
        remains.forget();
        try {
            Answers.of(drain.stop());
        } catch (RegistryUnavailable away) {
            LOG.log(Level.FINE, "chunks of orphans were not given back; their claims lapse", away);
        }
    }

    /**
     * Chunks that wait, are being delivered, or were set aside.
     *
     * @throws Refused {@code unavailable} if the registry does not answer
     */
    public List<OrphanChunk> list(int limit) {
        return answered(() -> queue.list(limit));
    }

    /**
     * How much waits, on all nodes together.
     *
     * @throws Refused {@code unavailable} if the registry does not answer
     */
    public OrphanAccount account() {
        return answered(() -> Answers.of(queue.account()));
    }

    /**
     * Gives a chunk that was set aside its tries back.
     *
     * @return false if no chunk that was set aside has this id
     * @throws Refused {@code unavailable} if the registry does not answer; nobody knows then whether it happened
     */
    public boolean retry(String chunk) {
        boolean isThere = answered(() -> queue.retry(chunk));
        drain.wake();
        return isThere;
    }

    private static <T> T answered(Supplier<T> question) {
        try {
            return question.get();
        } catch (RegistryUnavailable away) {
            throw new Refused(Refusal.UNAVAILABLE, "the registry does not answer; try again");
        }
    }
}
