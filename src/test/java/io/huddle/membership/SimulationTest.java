package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several nodes, an hour of virtual time, and everything that may go wrong: pauses, sleeping machines, lost requests and
 * answers, clocks that are set, a store that loses everything or is replaced. A failure names its seed.
 */
class SimulationTest {
    private static final int NODES = 5;
    private static final long HOUR_MS = 3_600_000L;

    private World world = new World();
    private Random random = new Random(0);
    private final List<Sailor> nodes = new ArrayList<>();
    private final Map<Long, String> processes = new HashMap<>();
    private final Set<Long> declared = new HashSet<>();
    private final Map<Sailor, Long> sleptOrSet = new HashMap<>();
    private MembershipBackend store = new LocalMembership(() -> 0);
    private final List<String> wrong = new ArrayList<>();
    private String where = "";
    private long lostAtMs;
    private int losses;
    private int proofs;

    static List<Long> seeds() {
        long first = Long.getLong("huddle.seed", System.nanoTime());
        return List.of(first, first + 1, 42L);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nodes_whateverHappens_neverHoldWhatOthersMayTake(long seed) {
        where = "-Dhuddle.seed=" + seed;
        random = new Random(seed);
        store = watched(new LocalMembership(world::storeMs));
        for (int i = 0; i < NODES; i++) {
            Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
            node.died = death -> {
                if (random.nextInt(4) > 0) {
                    node.rounds.cleaned(death.number());
                }
            };
            node.beginEpoch = epoch -> random.nextInt(3) == 0
                    ? CompletableFuture.failedFuture(new IllegalStateException("by the test"))
                    : CompletableFuture.completedFuture(null);
            nodes.add(node);
            node.start();
        }
        for (long time = 0; time < HOUR_MS; ) {
            // Shortly after the store was lost there is most to be wrong about.
            boolean isYoung = time - lostAtMs < 9_000;
            long step = 1L + random.nextInt(isYoung ? 400 : 4_000);
            if (!isYoung || random.nextInt(4) == 0) {
                mishap(time);
            }
            for (int i = 0; i < NODES; i++) {
                askWhetherGone();
            }
            world.run(step, this::check);
            time += step;
        }
        calm();
        // Otherwise nothing was tried.
        assertThat(losses).as(where).isGreaterThan(NODES * 20);
        assertThat(declared).as(where).hasSizeGreaterThan(NODES * 5);
        assertThat(proofs).as(where).isPositive();
    }

    private void mishap(long time) {
        Sailor node = nodes.get(random.nextInt(NODES));
        boolean mayTouchClocks = world.nanos() - sleptOrSet.getOrDefault(node, -60_000_000_000L) > 30_000_000_000L;
        switch (random.nextInt(12)) {
            case 0 -> node.host.pause(random.nextInt(15_000));
            case 1 -> {
                // Not both within a lease: a clock set back while the other stood still hides the time from everybody.
                if (mayTouchClocks && !node.host.isPaused()) {
                    node.host.sleep(random.nextInt(20_000));
                    sleptOrSet.put(node, world.nanos());
                }
            }
            case 2 -> {
                if (mayTouchClocks && !node.host.isPaused()) {
                    node.host.stepWall(random.nextInt(40_000) - 20_000);
                    sleptOrSet.put(node, world.nanos());
                }
            }
            case 3 -> node.requestMs = random.nextInt(2_000);
            case 4 -> node.answerMs = random.nextInt(6_000);
            case 5 -> node.requestMs = -1L - random.nextInt(2);
            case 6 -> node.answerMs = -1L - random.nextInt(2);
            case 7 -> {
                if (random.nextInt(10) == 0) {
                    lostAtMs = time;
                    store = watched(new LocalMembership(world::storeMs));
                }
            }
            case 8 -> {
                if (random.nextInt(20) == 0) {
                    node.member
                            .lease()
                            .ifPresent(lease -> store.renewEpoch(lease.epoch().id()));
                }
            }
            default -> node.heal();
        }
    }

    /** Whoever is said to be gone must not think otherwise, then or later. */
    private void askWhetherGone() {
        Sailor asks = nodes.get(random.nextInt(NODES));
        Sailor other = nodes.get(random.nextInt(NODES));
        long number = lastNumber(other);
        if (asks.host.isPaused() || asks.equals(other) || number == 0) {
            return;
        }
        asks.member.isGone(number).whenComplete((gone, failed) -> {
            if (failed == null && gone) {
                proofs++;
                if (believes(other, number)) {
                    wrong.add("gone, but safe: " + number);
                }
                declared.add(number);
            }
        });
    }

    /** After everything that happens: whoever runs and thinks that its lease is safe has not been declared dead. */
    private void check() {
        for (Sailor node : nodes) {
            if (!node.host.isPaused() && declared.contains(node.number())) {
                wrong.add("dead, but safe: " + node.number());
            }
        }
        // Not where it is found: what is thrown inside a stage is lost.
        if (!wrong.isEmpty()) {
            throw new AssertionError(where + ": " + wrong);
        }
    }

    /** With nothing going wrong any more: all are members of one epoch, nothing is left to clean, and events were in order. */
    private void calm() {
        for (Sailor node : nodes) {
            node.heal();
            node.died = death -> node.rounds.cleaned(death.number());
            node.beginEpoch = epoch -> CompletableFuture.completedFuture(null);
        }
        world.run(120_000, this::check);
        assertThat(nodes).as(where).allSatisfy(node -> {
            assertThat(node.member.lease()).isPresent();
            assertThat(node.member.mayDeliver()).isTrue();
        });
        assertThat(nodes.stream()
                        .map(node -> node.member.lease().orElseThrow().epoch().id())
                        .distinct())
                .as(where)
                .hasSize(1);
        assertThat(MemberTest.now(store.members())).as(where).hasSize(NODES);
        assertThat(MemberTest.now(store.claimCleanup("test", 1))).as(where).isEmpty();
        for (Sailor node : nodes) {
            inOrder(node);
            losses += node.told(LeaseLost.class).size();
        }
    }

    private void inOrder(Sailor node) {
        Membership.Lease held = null;
        for (Object event : node.told) {
            if (event instanceof LeaseGained gained) {
                assertThat(held).as(where).isNull();
                held = gained.lease();
                assertThat(node.begun).as(where).contains(held.epoch().id());
            } else if (event instanceof LeaseLost lost) {
                assertThat(lost.lease()).as(where).isEqualTo(held);
                held = null;
            }
        }
        assertThat(node.member.lease()).as(where).contains(held);
    }

    private boolean believes(Sailor node, long number) {
        return !node.host.isPaused() && node.number() == number;
    }

    private static long lastNumber(Sailor node) {
        List<LeaseGained> gained = node.told(LeaseGained.class);
        return gained.isEmpty() ? 0 : gained.get(gained.size() - 1).lease().number();
    }

    /** The store, and what it says about numbers. */
    private MembershipBackend watched(LocalMembership inner) {
        Set<Long> dead = new HashSet<>();
        return (MembershipBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MembershipBackend.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(inner, arguments);
                    Object value = answer instanceof CompletionStage<?> stage ? MemberTest.now(stage) : answer;
                    if (value instanceof Joined joined) {
                        String process = ((NodeInfo) arguments[0]).process();
                        if (processes.put(joined.number(), process) != null) {
                            wrong.add("given twice: " + joined.number());
                        }
                    } else if (method.getName().equals("declareDead")) {
                        ((List<?>) value).forEach(number -> dead.add((Long) number));
                        declared.addAll(dead);
                    } else if (value instanceof Renewal renewal
                            && dead.contains((Long) arguments[0])
                            && !renewal.refused()) {
                        wrong.add("dead, but renewed: " + arguments[0]);
                    }
                    return answer;
                });
    }
}
