package io.huddle.membership;

import io.huddle.membership.Membership.Doubt;
import io.huddle.membership.Membership.Lease;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Warrant;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * This node as a member: takes a number, renews it, gives it up when it cannot be proven, and takes another. Safe for use by
 * any thread; nothing blocks, and no lock is held while the store is asked.
 *
 * <p>Every answer belongs to the hold for which it was asked: what comes after that hold was given up changes nothing.
 */
final class Member {
    private static final Logger LOG = Logger.getLogger(Member.class.getName());

    /** Renewals under way at a time. An answer that is late is still good, for it counts from when it was asked. */
    private static final int FLYING = 10;

    /** While a renewal is not answered, others follow so many times as often: it may be lost, and only silence tells. */
    private static final int HURRY = 3;

    private static final long FIRST_BACK_OFF_MS = 100;
    private static final long LAST_BACK_OFF_MS = 1_000;
    private static final Duration JOINING = Duration.ofSeconds(3);
    private static final Duration LEAVING = Duration.ofSeconds(2);

    /** An attempt to join, told from others by its identity. */
    private static final class Attempt {
        private boolean isOver;
    }

    /** What this node says of itself. */
    private record Described(String url, String key, NodeState state, long version) {}

    private final MembershipBackend backend;
    private final RegistryBackend registry;
    private final Terms terms;
    private final Clocks clocks;
    private final Alarms alarms;
    private final Hears hears;
    private final Consumer<Loss> losses;
    private final String process;
    private final String name;
    private final Line told;
    private final Duration patience;

    private final Object lock = new Object();
    private volatile @Nullable Hold hold;
    private boolean running;
    private @Nullable Attempt attempt;
    private int failedJoins;
    private long startedAt;
    private @Nullable String known;
    private @Nullable String begun;
    private volatile @Nullable String problem;
    private Described described = new Described("", "", NodeState.of("starting"), 0);
    private boolean publishing;

    Member(
            MembershipBackend backend,
            RegistryBackend registry,
            Terms terms,
            Clocks clocks,
            Alarms alarms,
            Hears hears,
            Consumer<Loss> losses,
            String name) {
        this.backend = backend;
        this.registry = registry;
        this.terms = terms;
        this.clocks = clocks;
        this.alarms = alarms;
        this.hears = hears;
        this.losses = losses;
        this.name = name;
        this.process = Ids.make('p');
        this.told = new Line(alarms);
        this.patience = Duration.ofMillis(terms.leaseMs());
    }

    String process() {
        return process;
    }

    void start() {
        synchronized (lock) {
            running = true;
        }
        alarms.now(this::join);
    }

    /** Renews no more. The number runs out, and others remove what it leaves. */
    void stop() {
        end();
    }

    /** Gives the number back. What is registered under it has to be handed back before. */
    CompletionStage<Void> leave() {
        Hold held = end();
        return held == null
                ? CompletableFuture.completedFuture(null)
                : alarms.within(LEAVING, () -> backend.leave(held.lease.number(), held.lease.process()));
    }

    private @Nullable Hold end() {
        Hold held;
        synchronized (lock) {
            running = false;
            attempt = null;
            held = hold;
        }
        if (held != null) {
            lose(held, Loss.LEFT);
        }
        return held;
    }

    Optional<Lease> lease() {
        return safe().map(held -> held.lease);
    }

    boolean mayDeliver() {
        return safe().filter(held -> !held.isYoung()).isPresent();
    }

    /** What is left of the lease; zero without one. */
    double remainingSeconds() {
        return safe().map(held -> Math.max(0, held.remainingNanos() / 1e9)).orElse(0.0);
    }

    /** The store's time, as of the last renewal and what has passed since; empty without a safe lease. */
    OptionalLong storeMs() {
        Hold held = safe().orElse(null);
        return held == null ? OptionalLong.empty() : OptionalLong.of(held.storeMs());
    }

    Optional<Warrant> warrant(Duration validity) {
        return safe().map(held -> new Warrant(
                held.lease.number(),
                held.lease.process(),
                held.lease.epoch().id(),
                Ids.make('o'),
                held.storeMs() + validity.toMillis()));
    }

    /**
     * Asks for the member first and for the epoch after. If the epoch is then still the one of this lease, it was so at the
     * first question too; so the absence was read from a store that had lost nothing.
     */
    CompletionStage<Boolean> isGone(long number) {
        Hold held = safe().orElse(null);
        if (held == null || held.lease.number() == number) {
            return CompletableFuture.completedFuture(false);
        }
        return alarms.within(patience, () -> backend.member(number)).thenCompose(member -> {
            if (member.isPresent()) {
                return CompletableFuture.completedFuture(false);
            }
            return renew(held)
                    .thenApply(renewal -> !renewal.refused()
                            && renewal.epoch().id().equals(held.lease.epoch().id())
                            && renewal.epoch().now() - renewal.epoch().since() >= terms.youngMs());
        });
    }

    void publishLink(String url, String key) {
        synchronized (lock) {
            described = new Described(url, key, described.state(), described.version() + 1);
        }
        republish();
    }

    /** What has not changed is not said again. */
    void publishState(NodeState state) {
        synchronized (lock) {
            if (described.state().equals(state)) {
                return;
            }
            described = new Described(described.url(), described.key(), state, described.version() + 1);
        }
        republish();
    }

    /** Publishes what has not been published yet; one at a time, so that the last word is the newest. */
    void republish() {
        Hold held;
        Described said;
        synchronized (lock) {
            held = hold;
            said = described;
            if (held == null || publishing || held.published == said.version()) {
                return;
            }
            publishing = true;
        }
        NodeInfo node = info(held.lease.number(), said);
        alarms.within(patience, () -> backend.publish(node))
                .whenComplete((isMember, failed) -> published(held, said, failed == null ? isMember : null));
    }

    private void published(Hold held, Described said, @Nullable Boolean isMember) {
        synchronized (lock) {
            publishing = false;
            if (isMember != null && isMember) {
                held.published = said.version();
            }
        }
        if (isMember == null) {
            return; // The next round tries again.
        }
        if (isMember) {
            republish();
        } else {
            lose(held, Loss.REFUSED);
        }
    }

    /** What somebody has read of the store's epoch. */
    void seen(Lease lease, Epoch epoch) {
        Hold held = hold;
        if (held != null
                && held.lease.equals(lease)
                && !epoch.id().equals(lease.epoch().id())) {
            lose(held, Loss.OTHER_EPOCH);
        }
    }

    /**
     * The registry refused this node's epoch or number. The store is asked at once; if it still says the same of the epoch, a
     * part of the registry has lost its data, and that is a new epoch for all. A number that is dead to the registry concerns
     * this node alone, which will write nothing under it any more and takes another.
     */
    void doubt(Doubt why, long number) {
        Hold held = safe().orElse(null);
        if (held == null || held.lease.number() != number) {
            return;
        }
        synchronized (lock) {
            if (held.isDoubted) {
                return;
            }
            held.isDoubted = true;
        }
        String epoch = held.lease.epoch().id();
        renew(held)
                .thenCompose(renewal -> {
                    if (!isGood(held, renewal) || !held.equals(hold)) {
                        return CompletableFuture.completedFuture(renewal.epoch());
                    }
                    if (why == Doubt.WRITER_DEAD) {
                        lose(held, Loss.REFUSED);
                        return CompletableFuture.completedFuture(renewal.epoch());
                    }
                    return alarms.within(patience, () -> backend.renewEpoch(epoch));
                })
                .whenComplete((current, failed) -> {
                    synchronized (lock) {
                        held.isDoubted = false;
                    }
                    if (failed == null) {
                        seen(held.lease, current);
                    }
                });
    }

    private Optional<Hold> safe() {
        Hold held = hold;
        if (held == null || !held.isAnnounced()) {
            return Optional.empty();
        }
        if (held.isSafe()) {
            return Optional.of(held);
        }
        lose(held, Loss.EXPIRED);
        return Optional.empty();
    }

    private void join() {
        Attempt mine = new Attempt();
        NodeInfo node;
        long version;
        synchronized (lock) {
            if (!running || attempt != null || hold != null) {
                return;
            }
            attempt = mine;
            version = described.version();
            node = info(0, described);
        }
        Clocks.Instant sent = clocks.read();
        alarms.within(JOINING, () -> {
                    CompletionStage<Joined> answer = backend.join(node, terms.leaseMs());
                    answer.thenAccept(joined -> giveBack(mine, joined));
                    return answer;
                })
                .whenComplete((joined, failed) -> joined(mine, sent, version, failed == null ? joined : null));
    }

    private void joined(Attempt mine, Clocks.Instant sent, long version, @Nullable Joined joined) {
        Hold held = null;
        synchronized (lock) {
            if (!isCurrent(mine)) {
                return;
            }
            attempt = null;
            mine.isOver = joined != null;
            if (joined == null) {
                again(++failedJoins);
                return;
            }
            if (startedAt == 0) {
                startedAt = joined.epoch().now();
            }
            boolean emptied = joined.fresh()
                    || (known != null && !known.equals(joined.epoch().id()));
            held = new Hold(new Lease(joined.number(), process, joined.epoch()), emptied, terms, clocks, sent);
            held.published = version;
            hold = held;
            arm(held);
            beatIn(held, terms.heartbeatMs());
        }
        begin(held, 1);
    }

    /** The number of an answer that comes after the attempt was given up: nobody will use it. */
    private void giveBack(Attempt mine, Joined joined) {
        synchronized (lock) {
            if (mine.isOver || isCurrent(mine)) {
                return;
            }
        }
        alarms.within(LEAVING, () -> backend.leave(joined.number(), process));
    }

    private boolean isCurrent(Attempt mine) {
        return attempt != null && attempt.equals(mine);
    }

    /** Makes the whole registry know the epoch before anybody of this node writes in it. */
    private void begin(Hold held, int tries) {
        String epoch = held.lease.epoch().id();
        boolean isKnown;
        synchronized (lock) {
            if (!isHeld(held)) {
                return;
            }
            isKnown = epoch.equals(begun);
        }
        if (isKnown) {
            announce(held);
            return;
        }
        alarms.within(patience, () -> registry.beginEpoch(epoch)).whenComplete((nothing, failed) -> {
            if (failed != null) {
                blame(failed);
                alarms.inMs(backOffMs(tries), () -> begin(held, tries + 1));
                return;
            }
            synchronized (lock) {
                begun = epoch;
            }
            problem = null;
            announce(held);
        });
    }

    /** Silence passes; what the registry says of this node's settings has to be told to somebody who can change them. */
    private void blame(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (!(cause instanceof IllegalStateException) || cause.getMessage() == null) {
            LOG.log(Level.FINE, "the registry did not take the epoch; the next try follows", failed);
            return;
        }
        boolean isNew = !cause.getMessage().equals(problem);
        problem = cause.getMessage();
        if (isNew) {
            LOG.severe("this node cannot join: " + problem);
        }
    }

    /** Why this node cannot join as it is set; empty if it can, as far as is known. */
    Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    private void announce(Hold held) {
        if (!held.isSafe()) {
            lose(held, Loss.EXPIRED);
            return;
        }
        synchronized (lock) {
            if (!isHeld(held) || held.isAnnounced()) {
                return;
            }
            known = held.lease.epoch().id();
            held.announce();
            told.add(() -> hears.gained().accept(new LeaseGained(held.lease, held.emptied)));
        }
        LOG.info(() -> "member " + held.lease.number() + " of epoch "
                + held.lease.epoch().id() + (held.emptied ? ", which has begun anew" : ""));
        republish();
    }

    private void beat(Hold held) {
        boolean isSafe = held.isSafe();
        synchronized (lock) {
            if (!isHeld(held)) {
                return;
            }
            beatIn(held, Math.max(1, terms.heartbeatMs() / HURRY));
            if (isSafe && held.flying >= FLYING) {
                return;
            }
            held.flying++;
        }
        if (isSafe) {
            renew(held).whenComplete((renewal, failed) -> landed(held, failed != null));
        } else {
            lose(held, Loss.EXPIRED);
        }
    }

    private void landed(Hold held, boolean isFailed) {
        synchronized (lock) {
            held.flying--;
            if (isFailed && isHeld(held)) {
                beatBy(held, Math.min(backOffMs(++held.failures), terms.heartbeatMs()));
            }
        }
    }

    private CompletionStage<Renewal> renew(Hold held) {
        Clocks.Instant sent = clocks.read();
        return alarms.within(patience, () -> backend.renew(held.lease.number(), held.lease.process(), terms.leaseMs()))
                .thenApply(renewal -> renewed(held, sent, renewal));
    }

    private Renewal renewed(Hold held, Clocks.Instant sent, Renewal renewal) {
        // A lease that has ended here has ended, though the store would go on: others were told so.
        boolean isOver = !held.isSafe();
        synchronized (lock) {
            if (!isHeld(held)) {
                return renewal;
            }
            if (!isOver && isGood(held, renewal)) {
                held.failures = 0;
                held.renewedOnce = true;
                failedJoins = 0;
                held.renewed(sent, renewal.epoch().now());
                arm(held);
                beatIn(held, Math.max(1, terms.heartbeatMs() - clocks.elapsedMs(sent.nanos())));
                return renewal;
            }
        }
        lose(held, renewal.refused() ? Loss.REFUSED : isOver ? Loss.EXPIRED : Loss.OTHER_EPOCH);
        return renewal;
    }

    private static boolean isGood(Hold held, Renewal renewal) {
        return !renewal.refused()
                && renewal.epoch().id().equals(held.lease.epoch().id());
    }

    /** Rings when the lease ends, and whatever is under way then does not matter. */
    private void arm(Hold held) {
        held.expiry.run();
        held.expiry = alarms.in(Math.max(0, held.remainingNanos()), () -> expire(held));
    }

    private void expire(Hold held) {
        if (!held.isSafe()) {
            lose(held, Loss.EXPIRED);
            return;
        }
        synchronized (lock) {
            if (isHeld(held)) {
                arm(held);
            }
        }
    }

    private void beatIn(Hold held, long ms) {
        held.beat.run();
        held.beatAtNanos = clocks.nanos().getAsLong() + TimeUnit.MILLISECONDS.toNanos(ms);
        held.beat = alarms.inMs(ms, () -> beat(held));
    }

    /** Brings the next renewal forward, never back: of several that fail each would put it off. */
    private void beatBy(Hold held, long ms) {
        long at = clocks.nanos().getAsLong() + TimeUnit.MILLISECONDS.toNanos(ms);
        if (at - held.beatAtNanos < 0) {
            beatIn(held, ms);
        }
    }

    private void lose(Hold held, Loss why) {
        synchronized (lock) {
            if (!isHeld(held)) {
                return;
            }
            hold = null;
            held.quiet();
            if (held.isAnnounced()) {
                told.add(() -> hears.lost().accept(new LeaseLost(held.lease)));
            }
            if (running) {
                // At once, unless numbers are lost as fast as they are taken.
                again(held.renewedOnce ? 0 : ++failedJoins);
            }
        }
        losses.accept(why);
        LOG.log(
                why == Loss.LEFT ? Level.INFO : Level.WARNING,
                () -> "member " + held.lease.number() + " has no lease any more: " + why.label());
    }

    private void again(int failures) {
        alarms.inMs(failures == 0 ? 0 : backOffMs(failures), this::join);
    }

    private boolean isHeld(Hold held) {
        Hold current = hold;
        return current != null && current.equals(held);
    }

    private NodeInfo info(long number, Described said) {
        return new NodeInfo(number, process, name, startedAt, said.url(), said.key(), said.state(), 0);
    }

    private static long backOffMs(int failures) {
        return Math.min(LAST_BACK_OFF_MS, FIRST_BACK_OFF_MS << Math.min(failures - 1, 10));
    }
}
