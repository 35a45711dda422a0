package io.huddle.membership;

import io.huddle.membership.Membership.Lease;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What every node does each second for all: declares the dead, and claims what they left to have it removed. There is no
 * leader whose death would delay it. A round that fails is followed by the next.
 */
final class Rounds {
    private static final Logger LOG = Logger.getLogger(Rounds.class.getName());
    private static final long PAUSE_MS = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Every so many rounds the whole store is asked whether it is still the same. */
    private static final int VERIFIED_EVERY = 3;

    private static final int DEAD_A_STEP = 100;
    private static final int CLAIMS_A_ROUND = 8;
    private static final int REMEMBERED_CLAIMS = 1_024;

    private final MembershipBackend backend;
    private final Member member;
    private final Neighbours neighbours;
    private final Alarms alarms;
    private final Hears hears;
    private final long claimMs;
    private final Line deaths;
    private final Map<Long, String> claims = new ConcurrentHashMap<>();

    private volatile boolean running;
    private volatile Runnable next = () -> {};
    private int count;
    private long claimed;

    /** @param claimMs how long a node may take to remove a dead one's remains before another does it too */
    Rounds(MembershipBackend backend, Member member, Neighbours neighbours, Alarms alarms, Hears hears, long claimMs) {
        this.backend = backend;
        this.member = member;
        this.neighbours = neighbours;
        this.alarms = alarms;
        this.hears = hears;
        this.claimMs = claimMs;
        this.deaths = new Line(alarms);
    }

    void start() {
        running = true;
        next = alarms.inMs(PAUSE_MS, this::round);
    }

    void stop() {
        running = false;
        next.run();
    }

    /** The remains of this number are removed: its obligation is forgotten if it is still this node's. */
    CompletionStage<Boolean> cleaned(long number) {
        String claim = claims.remove(number);
        return claim == null
                ? CompletableFuture.completedFuture(false)
                : ask(() -> backend.acknowledgeCleanup(number, claim));
    }

    private void round() {
        if (!running) {
            return;
        }
        Optional<Lease> lease = member.lease();
        CompletionStage<Void> done = lease.isPresent() ? work(lease.get()) : CompletableFuture.completedFuture(null);
        done.whenComplete((nothing, failed) -> {
            if (failed != null) {
                LOG.log(Level.FINE, "a round of the membership failed; the next one follows", failed);
            }
            if (running) {
                next = alarms.inMs(PAUSE_MS, this::round);
            }
        });
    }

    private CompletionStage<Void> work(Lease lease) {
        member.republish();
        return verify(lease)
                .thenCompose(nothing -> declare())
                .thenCompose(nothing -> neighbours.all())
                .thenCompose(
                        nothing -> deaths.isIdle() ? claim(CLAIMS_A_ROUND) : CompletableFuture.completedFuture(null));
    }

    private CompletionStage<Void> verify(Lease lease) {
        if (++count % VERIFIED_EVERY != 0) {
            return CompletableFuture.completedFuture(null);
        }
        return ask(() -> backend.verifyEpoch(lease.epoch().id())).thenAccept(epoch -> member.seen(lease, epoch));
    }

    private CompletionStage<Void> declare() {
        return ask(() -> backend.declareDead(DEAD_A_STEP)).thenCompose(dead -> {
            if (!dead.isEmpty()) {
                LOG.warning(() -> "declared dead: " + dead);
            }
            return dead.size() < DEAD_A_STEP ? CompletableFuture.completedFuture(null) : declare();
        });
    }

    private CompletionStage<Void> claim(int most) {
        if (most == 0 || member.lease().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        String by = member.process() + ":" + ++claimed;
        return ask(() -> backend.claimCleanup(by, claimMs)).thenCompose(number -> {
            if (number.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            if (claims.size() >= REMEMBERED_CLAIMS) {
                claims.clear();
            }
            claims.put(number.get(), by);
            deaths.add(() -> hears.died().accept(new NodeDied(number.get())));
            return claim(most - 1);
        });
    }

    private <T> CompletionStage<T> ask(java.util.function.Supplier<CompletionStage<T>> operation) {
        return alarms.within(PATIENCE, operation);
    }
}
