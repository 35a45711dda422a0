package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;

/** Random operations on two stores, whose answers are compared. Numbers and epochs are known by the order they came in. */
final class MembershipSequence {
    private static final long LONG_MS = 600_000;

    private final MembershipBackend one;
    private final MembershipBackend two;
    private final Random random;
    private final List<Long> numbersOfOne = new ArrayList<>();
    private final List<Long> numbersOfTwo = new ArrayList<>();
    private final List<String> epochsOfOne = new ArrayList<>();
    private final List<String> epochsOfTwo = new ArrayList<>();

    MembershipSequence(MembershipBackend one, MembershipBackend two, Random random) {
        this.one = one;
        this.two = two;
        this.random = random;
        join("the first");
    }

    void step(String where) {
        int which = random.nextInt(numbersOfOne.size());
        long a = numbersOfOne.get(which);
        long b = numbersOfTwo.get(which);
        // The number belongs to one process; another one is sometimes asked for.
        String process = "p-" + (random.nextInt(8) == 0 ? "x" : which);
        switch (random.nextInt(12)) {
            case 0, 1 -> join(where);
            case 2, 3 -> {
                long lease = lease();
                Renewal first = MembershipContract.now(one.renew(a, process, lease));
                Renewal second = MembershipContract.now(two.renew(b, process, lease));
                assertThat(second.refused()).as(where).isEqualTo(first.refused());
                same(where, first.epoch(), second.epoch());
            }
            case 4 -> {
                String state = "s" + random.nextInt(5);
                assertThat(MembershipContract.now(two.publish(said(b, process, state))))
                        .as(where)
                        .isEqualTo(MembershipContract.now(one.publish(said(a, process, state))));
            }
            case 5 -> {
                MembershipContract.now(one.leave(a, process));
                MembershipContract.now(two.leave(b, process));
            }
            case 6 ->
                assertThat(plain(MembershipContract.now(two.members()), numbersOfTwo))
                        .as(where)
                        .isEqualTo(plain(MembershipContract.now(one.members()), numbersOfOne));
            case 7 ->
                assertThat(plain(listed(MembershipContract.now(two.member(b))), numbersOfTwo))
                        .as(where)
                        .isEqualTo(plain(listed(MembershipContract.now(one.member(a))), numbersOfOne));
            case 8 -> {
                int most = 1 + random.nextInt(3);
                assertThat(indexes(MembershipContract.now(two.declareDead(most)), numbersOfTwo))
                        .as(where)
                        .isEqualTo(indexes(MembershipContract.now(one.declareDead(most)), numbersOfOne));
            }
            case 9 -> {
                String by = "by" + random.nextInt(3);
                long claim = lease();
                assertThat(indexes(listed(MembershipContract.now(two.claimCleanup(by, claim))), numbersOfTwo))
                        .as(where)
                        .isEqualTo(indexes(listed(MembershipContract.now(one.claimCleanup(by, claim))), numbersOfOne));
            }
            case 10 -> {
                String by = "by" + random.nextInt(3);
                assertThat(MembershipContract.now(two.acknowledgeCleanup(b, by)))
                        .as(where)
                        .isEqualTo(MembershipContract.now(one.acknowledgeCleanup(a, by)));
            }
            default -> {
                int known = random.nextInt(epochsOfOne.size());
                boolean isRenewed = random.nextInt(6) == 0;
                String e = epochsOfOne.get(known);
                String f = epochsOfTwo.get(known);
                same(
                        where,
                        MembershipContract.now(isRenewed ? one.renewEpoch(e) : one.verifyEpoch(e)),
                        MembershipContract.now(isRenewed ? two.renewEpoch(f) : two.verifyEpoch(f)));
            }
        }
    }

    private void join(String where) {
        long lease = lease();
        NodeInfo node = said(0, "p-" + numbersOfOne.size(), "starting");
        Joined first = MembershipContract.now(one.join(node, lease));
        Joined second = MembershipContract.now(two.join(node, lease));
        numbersOfOne.add(first.number());
        numbersOfTwo.add(second.number());
        assertThat(new TreeSet<>(numbersOfTwo)).as(where).hasSize(numbersOfOne.size());
        assertThat(second.fresh()).as(where).isEqualTo(first.fresh());
        same(where, first.epoch(), second.epoch());
    }

    private void same(String where, Epoch first, Epoch second) {
        if (!epochsOfOne.contains(first.id())) {
            epochsOfOne.add(first.id());
            epochsOfTwo.add(second.id());
        }
        assertThat(epochsOfTwo.indexOf(second.id())).as(where).isEqualTo(epochsOfOne.indexOf(first.id()));
    }

    /** Ended at once, or not while the test runs. */
    private long lease() {
        return random.nextInt(3) == 0 ? 0 : LONG_MS;
    }

    private static NodeInfo said(long number, String process, String state) {
        return new NodeInfo(number, process, "n", 1, "u", "k", NodeState.of(state), 0);
    }

    private static List<String> plain(List<NodeInfo> nodes, List<Long> numbers) {
        return nodes.stream()
                .map(node -> numbers.indexOf(node.number()) + " " + node.process() + " " + node.name() + " "
                        + node.startedAt() + " " + node.linkUrl() + " " + node.linkKey() + " " + node.state())
                .toList();
    }

    private static List<Integer> indexes(List<Long> some, List<Long> numbers) {
        return some.stream().map(numbers::indexOf).toList();
    }

    private static <T> List<T> listed(Optional<T> one) {
        return one.stream().toList();
    }
}
