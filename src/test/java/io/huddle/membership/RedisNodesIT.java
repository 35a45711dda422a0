package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import io.huddle.membership.Membership.Broadcast;
import io.huddle.redis.Redis;
import io.huddle.redis.RedisLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes of one JVM, each with a connection of its own, over a real Redis and what may happen to it. */
class RedisNodesIT {
    /** A third of the product's, so that the tests take a third of the time. */
    private static final Terms SHORT = Terms.shared(1_000, 3_000);

    private static final Terms AS_SHIPPED = Terms.shared(3_000, 9_000);

    private final io.huddle.harness.Redis server = io.huddle.harness.Redis.create();
    private final List<Site> sites = new ArrayList<>();

    private static final class Site {
        final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
        final List<Object> told = new CopyOnWriteArrayList<>();
        final List<String> begun = new CopyOnWriteArrayList<>();
        final List<Broadcast> heard = new CopyOnWriteArrayList<>();
        final Redis redis;
        final Membership membership;

        Site(String url, Terms terms) {
            redis = new Redis(url, "", new RedisLimits(2_000, 1_000, 1, 4, 2, 2));
            membership = new Membership(
                    new RedisMembership(redis),
                    World.registry(epoch -> {
                        begun.add(epoch);
                        return CompletableFuture.completedFuture(null);
                    }),
                    terms,
                    threads,
                    new Hears(told::add, told::add, told::add),
                    "test");
            membership.onBroadcast("a", heard::add);
            membership.start();
        }

        long number() {
            return membership.lease().map(Membership.Lease::number).orElse(0L);
        }

        String epoch() {
            return membership.lease().map(lease -> lease.epoch().id()).orElse("");
        }

        void kill() {
            threads.shutdownNow();
            redis.close();
        }
    }

    private Site site(Terms terms) {
        Site site = new Site(server.url(), terms);
        sites.add(site);
        Awaiting.until("the node has joined", () -> site.number() > 0);
        return site;
    }

    @AfterEach
    void end() {
        sites.forEach(Site::kill);
        server.close();
    }

    @Test
    void killed_isDeclaredAndGoneWithinLeaseAndThreeSeconds() {
        Site one = site(SHORT);
        Site two = site(SHORT);
        two.membership.nodes();
        long number = one.number();
        one.kill();
        Awaiting.until(Duration.ofSeconds(7), "it is told to have died", () -> two.told.contains(new NodeDied(number)));
        assertThat(two.membership.isGone(number).toCompletableFuture().join()).isTrue();
        assertThat(two.membership.cleaned(number).toCompletableFuture().join()).isTrue();
        assertThat(two.membership.node(number).toCompletableFuture().join()).isEmpty();
        assertThat(two.membership.nodes().toCompletableFuture().join())
                .extracting(NodeInfo::number)
                .containsExactly(two.number());
    }

    /** One stalled round trip must not cost a node its lease. */
    @Test
    void redis_pausedForThreeAndAHalfSeconds_costsNoLease() {
        Site one = site(AS_SHIPPED);
        Site two = site(AS_SHIPPED);
        long first = one.number();
        long second = two.number();
        server.pause();
        Awaiting.holds(Duration.ofMillis(3_500), "the lease holds", () -> one.number() == first);
        server.resume();
        Awaiting.holds(
                Duration.ofSeconds(9), "both leases hold", () -> one.number() == first && two.number() == second);
        assertThat(one.told).hasSize(1);
        assertThat(two.told).hasSize(1);
    }

    @Test
    void redis_awayForThreeLeases_fencesInTimeAndIsJoinedAnew() {
        Site one = site(SHORT);
        Site two = site(SHORT);
        long first = one.number();
        server.pause();
        Awaiting.until(Duration.ofSeconds(4), "both are fenced", () -> one.number() == 0 && two.number() == 0);
        assertThat(one.membership.warrant(Duration.ofSeconds(1))).isEmpty();
        Awaiting.holds(Duration.ofSeconds(6), "nobody has a lease", () -> one.number() == 0 && two.number() == 0);
        server.resume();
        Awaiting.until("both have joined anew", () -> one.number() > first && two.number() > 0);
        assertThat(one.told.stream().filter(LeaseLost.class::isInstance)).hasSize(1);
        assertThat(one.told.stream().filter(LeaseGained.class::isInstance)).hasSize(2);
    }

    /** Its old number is leased in the store for as long as its lease would have lasted. */
    @Test
    void node_refusedByTheRegistry_joinsAnewAndIsListedOnce() {
        Site one = site(AS_SHIPPED);
        Site two = site(AS_SHIPPED);
        Awaiting.until("the epoch is old enough", one.membership::mayDeliver);
        long first = one.number();
        one.membership.doubt(Membership.Doubt.WRITER_DEAD, first);
        Awaiting.until("it has joined anew", () -> one.number() > first);
        assertThat(two.membership.node(first).toCompletableFuture().join()).isPresent();
        assertThat(two.membership.nodes().toCompletableFuture().join())
                .extracting(NodeInfo::number)
                .containsExactly(two.number(), one.number());
    }

    @Test
    void redis_restartedEmpty_isAnotherEpochForAll() {
        Site one = site(SHORT);
        Site two = site(SHORT);
        String before = one.epoch();
        assertThat(two.epoch()).isEqualTo(before);
        Awaiting.until("the epoch is old enough", one.membership::mayDeliver);
        server.restartEmpty();
        Awaiting.until(
                "both are in one new epoch",
                () -> !one.epoch().isEmpty()
                        && !one.epoch().equals(before)
                        && one.epoch().equals(two.epoch()));
        assertThat(one.membership.mayDeliver()).isFalse();
        assertThat(one.membership.isGone(17).toCompletableFuture().join()).isFalse();
        for (Site site : sites) {
            LeaseGained gained = (LeaseGained) site.told.get(site.told.size() - 1);
            assertThat(gained.emptied()).isTrue();
            assertThat(site.begun).contains(gained.lease().epoch().id());
        }
        Awaiting.until("the new one is old enough", one.membership::mayDeliver);
        assertThat(one.membership.isGone(17).toCompletableFuture().join()).isTrue();
    }

    @Test
    void broadcast_reachesAll_alsoAfterARestartOfRedis() {
        Site one = site(SHORT);
        Site two = site(SHORT);
        Awaiting.until("a first one arrives", () -> sentAndHeard(one, two));
        server.restartEmpty();
        two.heard.clear();
        Awaiting.until(Duration.ofSeconds(20), "one arrives again", () -> sentAndHeard(one, two));
    }

    @Test
    void leave_isKnownAtOnce() {
        Site one = site(SHORT);
        Site two = site(SHORT);
        Awaiting.until("the epoch is old enough", two.membership::mayDeliver);
        long number = one.number();
        one.membership.leave().toCompletableFuture().join();
        assertThat(one.membership.lease()).isEmpty();
        assertThat(two.membership.isGone(number).toCompletableFuture().join()).isTrue();
    }

    private static boolean sentAndHeard(Site one, Site two) {
        if (one.number() > 0) {
            CompletableFuture<Void> sent =
                    one.membership.broadcast("a", "{\"x\":1.0}", true).toCompletableFuture();
            sent.exceptionally(away -> null).join();
        }
        return two.heard.stream().anyMatch(broadcast -> broadcast.json().equals("{\"x\":1.0}"));
    }
}
