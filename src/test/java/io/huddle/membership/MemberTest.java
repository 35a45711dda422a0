package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.membership.Membership.Doubt;
import io.huddle.membership.Membership.Lease;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Warrant;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A node's lease in virtual time: when it is safe, when it is lost, and what comes after. */
class MemberTest {
    private static final long SAFE_MS = 8_500;

    private final World world = new World();
    private final LocalMembership store = new LocalMembership(world::storeMs);

    @Test
    void start_emptyStore_joinsUnderItsTimeAndBeginsTheEpochFirst() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        long before = world.storeMs();
        node.start();
        world.run(100);
        Lease lease = node.member.lease().orElseThrow();
        assertThat(lease.number()).isBetween(before, world.storeMs());
        assertThat(node.begun).containsExactly(lease.epoch().id());
        assertThat(node.told).containsExactly(new LeaseGained(lease, true));
    }

    @Test
    void start_epochOfOthers_isBegunAgainButNotAsEmptied() {
        Sailor first = Sailor.joined(world, store);
        Sailor second = Sailor.joined(world, store);
        assertThat(second.number()).isGreaterThan(first.number());
        // The first may have died between writing the epoch and beginning it in every part of the registry.
        assertThat(second.begun).isEqualTo(first.begun);
        assertThat(second.told(LeaseGained.class))
                .singleElement()
                .satisfies(gained -> assertThat(gained.emptied()).isFalse());
    }

    @Test
    void gain_registryDoesNotBeginTheEpoch_waitsForIt() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        node.beginEpoch = epoch -> failed();
        node.start();
        world.run(4_000);
        assertThat(node.begun).hasSizeGreaterThan(3);
        assertThat(node.told).isEmpty();
        assertThat(node.member.lease()).isEmpty();
        assertThat(node.member.warrant(Duration.ofSeconds(1))).isEmpty();
        node.beginEpoch = epoch -> CompletableFuture.completedFuture(null);
        world.run(1_100);
        assertThat(node.told(LeaseGained.class)).hasSize(1);
        assertThat(node.member.lease()).isPresent();
    }

    /** A node with another number of shards would put clients where nobody finds them. */
    @Test
    void gain_registryRefusesTheSettings_saysWhyUntilTheyAreRight() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        node.beginEpoch = epoch -> failed();
        node.start();
        world.run(500);
        assertThat(node.member.problem())
                .as("silence is no problem of the settings")
                .isEmpty();

        node.beginEpoch = epoch -> CompletableFuture.<Void>completedFuture(null).thenApply(nothing -> {
            throw new IllegalStateException("4 shards, not 64");
        });
        world.run(4_000);
        assertThat(node.member.problem()).contains("4 shards, not 64");
        assertThat(node.member.lease()).isEmpty();

        node.beginEpoch = epoch -> CompletableFuture.completedFuture(null);
        world.run(1_100);
        assertThat(node.member.problem()).isEmpty();
        assertThat(node.member.lease()).isPresent();
    }

    @Test
    void lease_renewedEveryThreeSeconds_staysForAnHourUnderOneNumber() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        world.run(3_600_000);
        assertThat(node.number()).isEqualTo(number);
        assertThat(node.told).hasSize(1);
    }

    @Test
    void lease_renewalInFlight_isLostAtThatVeryInstant() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        node.start();
        world.run(1);
        node.deafen();
        world.run(SAFE_MS - 2);
        assertThat(node.member.lease()).isPresent();
        assertThat(node.told(LeaseLost.class)).isEmpty();
        world.run(1);
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.toldAtMs(LeaseLost.class)).isEqualTo(SAFE_MS);
        assertThat(node.losses).containsExactly(Loss.EXPIRED);
    }

    @Test
    void lease_answerTookTwoSeconds_countsFromTheSending() {
        Sailor node = Sailor.joined(world, store);
        node.answerMs = 2_000;
        world.run(3_500);
        node.deafen();
        // One was sent 3,000 after the start and answered two seconds later; the next ones never were.
        world.run(20_000, () -> {});
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.toldAtMs(LeaseLost.class)).isBetween(3_000 + SAFE_MS - 5, 3_000 + SAFE_MS + 5);
    }

    /** The store extended the lease; but others of this node were told that it is over. */
    @Test
    void lease_answerComesAfterItsEnd_isNotRevived() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        node.answerMs = 8_000;
        world.run(3_100);
        node.deafen();
        node.host.pause(8_000);
        world.run(12_000);
        node.heal();
        world.run(5_000);
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.number()).isGreaterThan(number);
    }

    @Test
    void lease_machineSlept_isLostByTheWallClock() {
        Sailor node = Sailor.joined(world, store);
        node.host.sleep(9_000);
        world.run(8_999);
        world.run(1);
        assertThat(node.member.lease()).isEmpty();
        world.run(300);
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.member.lease()).isPresent();
    }

    @Test
    void lease_wallClockSetBack_isLostByTheMonotonicClock() {
        Sailor node = Sailor.joined(world, store);
        node.host.stepWall(-3_600_000);
        node.cutOff();
        world.run(9_000);
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.toldAtMs(LeaseLost.class)).isBetween(SAFE_MS - 5, SAFE_MS + 5);
    }

    @Test
    void lease_wallClockSetForwardAndBack_staysLost() {
        Sailor node = Sailor.joined(world, store);
        Lease lease = node.member.lease().orElseThrow();
        node.host.stepWall(10_000);
        assertThat(node.member.lease()).isEmpty();
        node.host.stepWall(-10_000);
        assertThat(node.member.lease()).isEmpty();
        world.run(300);
        assertThat(node.told(LeaseLost.class)).containsExactly(new LeaseLost(lease));
        assertThat(node.number()).isGreaterThan(lease.number());
    }

    @Test
    void renewal_declaredDead_losesTheLeaseAndJoinsUnderANewNumber() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        world.stepStore(60_000);
        now(store.declareDead(10));
        world.run(3_100);
        assertThat(node.losses).containsExactly(Loss.REFUSED);
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        assertThat(node.number()).isGreaterThan(number);
        assertThat(node.told(LeaseGained.class).get(1).emptied()).isFalse();
        assertThat(now(store.renew(number, node.member.process(), 9_000)).refused())
                .isTrue();
    }

    @Test
    void renewal_otherEpoch_losesTheLeaseAndBeginsTheNewOneBeforeItIsTold() {
        Sailor node = Sailor.joined(world, store);
        Lease old = node.member.lease().orElseThrow();
        now(store.renewEpoch(old.epoch().id()));
        node.beginEpoch = epoch -> {
            assertThat(node.told(LeaseGained.class)).hasSize(1);
            return CompletableFuture.completedFuture(null);
        };
        world.run(3_100);
        Lease lease = node.member.lease().orElseThrow();
        assertThat(node.losses).containsExactly(Loss.OTHER_EPOCH);
        assertThat(lease.epoch().id()).isNotEqualTo(old.epoch().id());
        assertThat(node.begun).containsExactly(old.epoch().id(), lease.epoch().id());
        assertThat(node.told)
                .containsExactly(new LeaseGained(old, true), new LeaseLost(old), new LeaseGained(lease, true));
    }

    @Test
    void store_awayForLessThanTheLease_costsNothing() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        for (int i = 0; i < 10; i++) {
            node.cutOff();
            world.run(3_500);
            node.heal();
            world.run(4_000);
        }
        assertThat(node.number()).isEqualTo(number);
        assertThat(node.told).hasSize(1);
    }

    @Test
    void store_backAfterTheLease_joinsAnewWithinABackOff() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        node.requestMs = -2;
        world.run(60_000);
        assertThat(node.member.lease()).isEmpty();
        assertThat(node.told(LeaseLost.class)).hasSize(1);
        node.heal();
        // At most: what was asked and is not answered, then a back-off of one second.
        assertThat(world.until(4_100, () -> node.number() > number)).isTrue();
        assertThat(node.told).hasSize(3);
    }

    @Test
    void join_answerComesTooLate_givesThatNumberBack() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        node.answerMs = 3_500;
        node.start();
        world.run(10);
        node.heal();
        assertThat(world.until(5_000, () -> node.number() > 0)).isTrue();
        world.run(1_000);
        assertThat(now(store.members())).extracting(NodeInfo::number).containsExactly(node.number());
        assertThat(node.told).hasSize(1);
    }

    @Test
    void mayDeliver_epochYoungerThanALease_isFalseUntilThen() {
        Sailor node = Sailor.joined(world, store);
        assertThat(node.member.mayDeliver()).isFalse();
        world.run(8_900 - world.nanos() / 1_000_000);
        assertThat(node.member.mayDeliver()).isFalse();
        world.run(200);
        assertThat(node.member.mayDeliver()).isTrue();
        Sailor late = Sailor.joined(world, store);
        assertThat(late.member.mayDeliver()).isTrue();
        now(store.renewEpoch(late.member.lease().orElseThrow().epoch().id()));
        world.run(3_100);
        assertThat(late.member.lease()).isPresent();
        assertThat(late.member.mayDeliver()).isFalse();
    }

    @Test
    void mayDeliver_storeOfThisProcessAlone_isTrueFromTheFirstMoment() {
        Sailor node = new Sailor(world, () -> store, Terms.alone(3_000, 9_000));
        node.start();
        world.run(10);
        assertThat(node.member.mayDeliver()).isTrue();
        node.cutOff();
        world.run(9_000);
        assertThat(node.member.mayDeliver()).isFalse();
    }

    @Test
    void isGone_youngEpoch_provesNothing() {
        Sailor node = Sailor.joined(world, store);
        assertThat(gone(node, 17)).isFalse();
        world.run(9_100);
        assertThat(gone(node, 17)).isTrue();
    }

    @Test
    void isGone_memberWhoseLeaseEnded_onlyOnceDeclared() {
        Sailor node = Sailor.joined(world, store);
        world.run(20_000);
        NodeInfo other = new NodeInfo(0, "p-other", "", 0, "", "", NodeState.of(""), 0);
        long number = now(store.join(other, 1)).number();
        node.rounds.stop();
        world.run(1_100);
        assertThat(gone(node, number)).isFalse();
        now(store.declareDead(10));
        assertThat(gone(node, number)).isTrue();
    }

    @Test
    void isGone_leftMember_isTrue_oneself_isFalse() {
        Sailor node = Sailor.joined(world, store);
        Sailor other = Sailor.joined(world, store);
        world.run(20_000);
        long number = other.number();
        assertThat(gone(node, number)).isFalse();
        other.member.leave();
        world.run(10);
        assertThat(gone(node, number)).isTrue();
        assertThat(gone(node, node.number())).isFalse();
    }

    /** The store lost everything between two heartbeats: its silence about a live member says nothing. */
    @Test
    void isGone_epochChangedUnnoticed_isFalse() {
        LocalMembership[] current = {store};
        Sailor node = new Sailor(world, () -> current[0], Sailor.TERMS);
        Sailor other = new Sailor(world, () -> current[0], Sailor.TERMS);
        node.start();
        other.start();
        world.run(20_000);
        long number = other.number();
        current[0] = new LocalMembership(world::storeMs);
        assertThat(gone(node, number)).isFalse();
        assertThat(other.number()).isEqualTo(number);
    }

    @Test
    void isGone_withoutALease_isFalse_withoutAStore_isAFailure() {
        Sailor node = Sailor.joined(world, store);
        world.run(20_000);
        node.cutOff();
        CompletableFuture<Boolean> unanswered = node.member.isGone(17).toCompletableFuture();
        world.run(4_000);
        assertThat(unanswered.isCompletedExceptionally()).isTrue();
        world.run(9_000);
        assertThat(node.member.lease()).isEmpty();
        assertThat(gone(node, 17)).isFalse();
    }

    @Test
    void warrant_ofALease_endsOnTheStoresClock() {
        Sailor node = Sailor.joined(world, store);
        node.host.stepWall(-100_000);
        world.run(10_000);
        Warrant warrant = node.member.warrant(Duration.ofSeconds(30)).orElseThrow();
        Lease lease = node.member.lease().orElseThrow();
        assertThat(warrant.notAfter()).isBetween(world.storeMs() + 29_990, world.storeMs() + 30_000);
        assertThat(warrant.node()).isEqualTo(lease.number());
        assertThat(warrant.process()).isEqualTo(lease.process());
        assertThat(warrant.epoch()).isEqualTo(lease.epoch().id());
        assertThat(warrant.operation()).hasSizeGreaterThanOrEqualTo(26);
        assertThat(node.member.warrant(Duration.ofSeconds(30)).orElseThrow().operation())
                .isNotEqualTo(warrant.operation());
    }

    @Test
    void link_publishedEarly_isSaidWithTheJoin_laterIsSaidAgain() {
        Sailor node = new Sailor(world, () -> store, Sailor.TERMS);
        node.member.publishLink("wss://a.example/mesh", "k1");
        node.start();
        world.run(10);
        assertThat(now(store.members())).singleElement().satisfies(seen -> {
            assertThat(seen.linkUrl()).isEqualTo("wss://a.example/mesh");
            assertThat(seen.linkKey()).isEqualTo("k1");
            assertThat(seen.startedAt()).isEqualTo(world.storeMs() - 9);
        });
        node.cutOff();
        node.member.publishState(NodeState.of("draining"));
        world.run(2_000);
        node.heal();
        world.run(6_000);
        assertThat(now(store.members())).singleElement().satisfies(seen -> {
            assertThat(seen.state()).isEqualTo(NodeState.of("draining"));
            assertThat(seen.linkUrl()).isEqualTo("wss://a.example/mesh");
        });
    }

    /** What a node says of itself is looked at every second: a write each would be one a second and node for nothing. */
    @Test
    void state_unchanged_isWrittenOnce_changed_isWrittenAgain() {
        List<NodeInfo> written = new ArrayList<>();
        Sailor node = new Sailor(world, () -> counting(written), Sailor.TERMS);
        node.start();
        world.run(10);
        for (int i = 0; i < 5; i++) {
            node.member.publishState(new NodeState("ready", "1.2", 3, false));
            world.run(1_000);
        }
        assertThat(written).hasSize(1);
        node.member.publishState(new NodeState("ready", "1.2", 4, false));
        world.run(1_000);
        assertThat(written).extracting(said -> said.state().streams()).containsExactly(3, 4);
        assertThat(now(store.members()))
                .singleElement()
                .satisfies(seen -> assertThat(seen.state()).isEqualTo(new NodeState("ready", "1.2", 4, false)));
    }

    private MembershipBackend counting(List<NodeInfo> written) {
        return (MembershipBackend) Proxy.newProxyInstance(
                MemberTest.class.getClassLoader(),
                new Class<?>[] {MembershipBackend.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("publish") && arguments[0] instanceof NodeInfo said) {
                        written.add(said);
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    void storeTime_withALease_goesOn_withoutOne_isUnknown() {
        Sailor node = Sailor.joined(world, store);
        world.run(700);
        assertThat(node.member.storeMs().orElseThrow()).isBetween(world.storeMs() - 20, world.storeMs());
        node.member.stop();
        assertThat(node.member.storeMs()).isEmpty();
    }

    @Test
    void publish_declaredNumber_bringsItNotBackAndLosesTheLease() {
        Sailor node = Sailor.joined(world, store);
        long number = node.number();
        world.stepStore(60_000);
        now(store.declareDead(10));
        node.member.publishState(NodeState.of("ready"));
        world.run(300);
        assertThat(node.losses).containsExactly(Loss.REFUSED);
        assertThat(node.number()).isGreaterThan(number);
        assertThat(now(store.member(number))).isEmpty();
        assertThat(now(store.members())).singleElement().satisfies(seen -> {
            assertThat(seen.state()).isEqualTo(NodeState.of("ready"));
            assertThat(seen.startedAt()).isLessThanOrEqualTo(number);
        });
    }

    @Test
    void leave_givesTheNumberBackWithoutAnObligation_stop_leavesOne() {
        Sailor leaves = Sailor.joined(world, store);
        Sailor stops = Sailor.joined(world, store);
        Sailor stays = Sailor.joined(world, store);
        stays.died = death -> stays.rounds.cleaned(death.number());
        long number = stops.number();
        CompletableFuture<Void> left = leaves.member.leave().toCompletableFuture();
        stops.member.stop();
        assertThat(leaves.member.lease()).isEmpty();
        assertThat(stops.member.lease()).isEmpty();
        world.run(20_000);
        assertThat(left).isCompleted();
        assertThat(leaves.told(LeaseLost.class)).hasSize(1);
        assertThat(stays.told(NodeDied.class)).containsExactly(new NodeDied(number));
    }

    @Test
    void nodes_twoOfOneMachine_differInNumberAndProcess() {
        Sailor one = Sailor.joined(world, store);
        Sailor two = Sailor.joined(world, store);
        assertThat(one.member.process()).isNotEqualTo(two.member.process());
        assertThat(now(store.renew(one.number(), two.member.process(), 9_000)).refused())
                .isTrue();
    }

    /** A part of the registry has declared it dead: the others are as they were. */
    @Test
    void doubt_ofTheNumber_givesUpTheNumberAndKeepsTheEpoch() {
        Sailor node = Sailor.joined(world, store);
        Sailor other = Sailor.joined(world, store);
        Lease old = node.member.lease().orElseThrow();
        node.member.doubt(Doubt.WRITER_DEAD, old.number());
        node.member.doubt(Doubt.WRITER_DEAD, old.number());
        world.run(300);
        Lease lease = node.member.lease().orElseThrow();
        assertThat(lease.number()).isGreaterThan(old.number());
        assertThat(lease.epoch().id()).isEqualTo(old.epoch().id());
        assertThat(node.losses).containsExactly(Loss.REFUSED);
        world.run(3_100);
        assertThat(other.told).hasSize(1);
    }

    @Test
    void doubt_ofTheEpoch_beginsAnotherForAll() {
        Sailor node = Sailor.joined(world, store);
        Sailor other = Sailor.joined(world, store);
        Lease old = node.member.lease().orElseThrow();
        node.member.doubt(Doubt.OTHER_EPOCH, old.number());
        world.run(3_300);
        String epoch = node.member.lease().orElseThrow().epoch().id();
        assertThat(epoch).isNotEqualTo(old.epoch().id());
        assertThat(other.member.lease().orElseThrow().epoch().id()).isEqualTo(epoch);
    }

    /** The answer to a write under the number before comes late, when nothing is wrong any more. */
    @Test
    void doubt_ofANumberThatIsGivenUp_changesNothing() {
        Sailor node = Sailor.joined(world, store);
        Lease lease = node.member.lease().orElseThrow();
        for (Doubt why : Doubt.values()) {
            node.member.doubt(why, lease.number() - 1);
            world.run(300);
            assertThat(node.member.lease().orElseThrow().number()).isEqualTo(lease.number());
            assertThat(node.told).hasSize(1);
        }
    }

    @Test
    void observer_thatThrows_stopsNothing() {
        World.Host host = world.host();
        Line line = new Line(host.alarms());
        List<Integer> done = World.list();
        line.add(() -> {
            throw new IllegalStateException("by the test");
        });
        line.add(() -> {
            throw new NoClassDefFoundError("by the test");
        });
        line.add(() -> done.add(1));
        world.run(1);
        line.add(() -> done.add(2));
        world.run(1);
        assertThat(done).containsExactly(1, 2);
        assertThat(line.isIdle()).isTrue();
    }

    private boolean gone(Sailor node, long number) {
        CompletableFuture<Boolean> answer = node.member.isGone(number).toCompletableFuture();
        world.run(50);
        return answer.join();
    }

    static <T> T now(CompletionStage<T> done) {
        return done.toCompletableFuture().join();
    }

    private static CompletionStage<Void> failed() {
        return CompletableFuture.failedFuture(
                new RegistryUnavailable("away", new IllegalStateException("by the test")));
    }
}
