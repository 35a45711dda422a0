package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who declares the dead, and who removes what they left. */
class RoundsTest {
    private final World world = new World();
    private final LocalMembership store = new LocalMembership(world::storeMs);

    @Test
    void killed_amongThree_isDeclaredAndCleanedByOneWithinLeaseAndThreeSeconds() {
        List<Sailor> nodes = three();
        long number = nodes.get(0).number();
        nodes.get(0).kill();
        long killed = world.nanos();
        assertThat(world.until(12_000, () -> deaths(nodes).contains(number))).isTrue();
        assertThat(world.nanos() - killed).isLessThan(12_000_000_000L);
        world.run(60_000);
        assertThat(deaths(nodes)).containsExactly(number);
    }

    @Test
    void cleaned_never_comesAgainAfterTheClaim() {
        List<Sailor> nodes = three();
        nodes.get(1).died = death -> {};
        nodes.get(2).died = death -> {};
        long number = nodes.get(0).number();
        nodes.get(0).kill();
        world.run(60_000);
        List<Long> deaths = deaths(nodes);
        assertThat(deaths).containsOnly(number).hasSizeBetween(4, 6);
        nodes.get(1).died = death -> nodes.get(1).rounds.cleaned(death.number());
        nodes.get(2).died = death -> nodes.get(2).rounds.cleaned(death.number());
        world.run(20_000);
        int then = deaths(nodes).size();
        world.run(60_000);
        assertThat(deaths(nodes)).hasSize(then);
    }

    @Test
    void claimant_diesWhileItCleans_isFollowedByAnother() {
        List<Sailor> nodes = three();
        long number = nodes.get(0).number();
        for (Sailor node : nodes) {
            node.died = death -> node.kill();
        }
        nodes.get(0).kill();
        assertThat(world.until(12_000, () -> !deaths(nodes).isEmpty())).isTrue();
        Sailor second =
                nodes.stream().filter(node -> !node.host.isPaused()).findFirst().orElseThrow();
        second.died = death -> second.rounds.cleaned(death.number());
        assertThat(world.until(12_000, () -> second.told.contains(new NodeDied(number))))
                .isTrue();
    }

    /** An observer may take as long as it likes; until it returns this node claims nothing more. */
    @Test
    void observer_thatIsStillAtWork_isGivenNoMore() {
        Sailor node = Sailor.joined(world, store);
        for (int i = 0; i < 30; i++) {
            MemberTest.now(store.join(stranger(i), 1));
        }
        world.run(1_500);
        assertThat(node.told(NodeDied.class)).hasSize(8);
        world.run(1_000);
        assertThat(node.told(NodeDied.class)).hasSize(16);
    }

    @Test
    void declaring_manyDead_takesSeveralBoundedSteps() {
        Sailor node = Sailor.joined(world, store);
        Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 250; i++) {
            numbers.add(MemberTest.now(store.join(stranger(i), 1)).number());
        }
        world.run(2_000);
        assertThat(MemberTest.now(store.members())).extracting(NodeInfo::number).containsExactly(node.number());
        node.died = death -> node.rounds.cleaned(death.number());
        world.run(60_000);
        assertThat(new HashSet<>(deaths(List.of(node)))).isEqualTo(numbers);
        assertThat(MemberTest.now(store.claimCleanup("x", 1))).isEmpty();
    }

    @Test
    void acknowledgement_afterTheClaimWentOn_changesNothing() {
        Sailor node = Sailor.joined(world, store);
        long number = MemberTest.now(store.join(stranger(1), 1)).number();
        world.run(2_000);
        assertThat(node.told(NodeDied.class)).containsExactly(new NodeDied(number));
        node.rounds.stop();
        world.run(11_000);
        assertThat(MemberTest.now(store.claimCleanup("another", 60_000))).contains(number);
        CompletableFuture<Boolean> late = node.rounds.cleaned(number).toCompletableFuture();
        world.run(10);
        assertThat(late.join()).isFalse();
        assertThat(MemberTest.now(store.acknowledgeCleanup(number, "another"))).isTrue();
    }

    @Test
    void round_withoutALease_declaresNobody() {
        Sailor node = Sailor.joined(world, store);
        node.answerMs = -2;
        world.run(9_000);
        assertThat(node.member.lease()).isEmpty();
        assertThat(node.told(NodeDied.class)).isEmpty();
    }

    @Test
    void neighbours_count_followsWithinTwoSeconds() {
        List<Sailor> nodes = three();
        world.run(2_000);
        assertThat(nodes).extracting(node -> node.neighbours.count()).containsOnly(3);
        nodes.get(2).member.leave();
        world.run(2_000);
        assertThat(nodes.get(0).neighbours.count()).isEqualTo(2);
    }

    @Test
    void neighbour_justJoined_isFoundThoughNoRoundHasSeenIt() {
        Sailor node = Sailor.joined(world, store);
        world.run(1_500);
        NodeInfo other = stranger(1);
        long number = MemberTest.now(store.join(other, 9_000)).number();
        var found = node.neighbours.find(number).toCompletableFuture();
        world.run(10);
        assertThat(found.join()).isPresent();
        assertThat(node.neighbours.count()).isEqualTo(1);
    }

    private List<Sailor> three() {
        List<Sailor> nodes =
                List.of(Sailor.joined(world, store), Sailor.joined(world, store), Sailor.joined(world, store));
        for (Sailor node : nodes) {
            node.died = death -> node.rounds.cleaned(death.number());
        }
        return nodes;
    }

    private static List<Long> deaths(List<Sailor> nodes) {
        return nodes.stream()
                .flatMap(node -> node.told(NodeDied.class).stream())
                .map(NodeDied::number)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    private static NodeInfo stranger(int i) {
        return new NodeInfo(0, "p-" + i, "", 0, "", "", NodeState.of(""), 0);
    }
}
