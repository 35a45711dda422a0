package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of members has to do, whoever wrote it. Each test gets an empty one. */
abstract class MembershipContract {
    private static final long LONG_MS = 60_000;
    private static final long SHORT_MS = 150;
    private static final NodeInfo NODE =
            new NodeInfo(0, "p-1", "host ä", 0, "wss://a.example/mesh", "key+/=", NodeState.of("starting"), 0);

    /** An empty store. */
    abstract MembershipBackend store();

    /** Milliseconds on the clock of that store. */
    abstract long time();

    private @org.jspecify.annotations.Nullable MembershipBackend made;

    private MembershipBackend it() {
        if (made == null) {
            made = store();
        }
        return made;
    }

    @Test
    void join_first_isFreshAndAnswersTheStoresTime() {
        long before = time();
        Joined first = now(it().join(NODE, LONG_MS));
        assertThat(first.fresh()).isTrue();
        assertThat(first.number()).isBetween(before, time());
        assertThat(first.epoch().id()).hasSizeGreaterThan(16);
        assertThat(first.epoch().since()).isBetween(before, time());
        assertThat(first.epoch().now()).isBetween(before, time());
    }

    @Test
    void join_following_takesGreaterNumbersOfTheSameEpoch() {
        Joined first = now(it().join(NODE, LONG_MS));
        long last = first.number();
        for (int i = 0; i < 50; i++) {
            Joined next = now(it().join(process("p-" + i), LONG_MS));
            assertThat(next.number()).isGreaterThan(last);
            assertThat(next.fresh()).isFalse();
            assertThat(next.epoch().id()).isEqualTo(first.epoch().id());
            assertThat(next.epoch().since()).isEqualTo(first.epoch().since());
            last = next.number();
        }
    }

    @Test
    void join_manyAtOnce_takeNoNumberTwice() {
        List<CompletionStage<Joined>> all = IntStream.range(0, 200)
                .mapToObj(i -> it().join(process("p-" + i), LONG_MS))
                .toList();
        HashSet<Long> numbers = new HashSet<>();
        HashSet<String> epochs = new HashSet<>();
        int fresh = 0;
        for (CompletionStage<Joined> one : all) {
            Joined joined = now(one);
            numbers.add(joined.number());
            epochs.add(joined.epoch().id());
            fresh += joined.fresh() ? 1 : 0;
        }
        assertThat(numbers).hasSize(200);
        assertThat(epochs).hasSize(1);
        assertThat(fresh).isEqualTo(1);
        assertThat(now(it().members())).extracting(NodeInfo::number).containsExactlyElementsOf(sorted(numbers));
    }

    @Test
    void member_asPublished_isReadAsItWas() {
        long before = time();
        Joined joined = now(it().join(NODE, LONG_MS));
        NodeInfo seen = now(it().member(joined.number())).orElseThrow();
        assertThat(seen.number()).isEqualTo(joined.number());
        assertThat(seen.process()).isEqualTo("p-1");
        assertThat(seen.name()).isEqualTo("host ä");
        assertThat(seen.linkUrl()).isEqualTo("wss://a.example/mesh");
        assertThat(seen.linkKey()).isEqualTo("key+/=");
        assertThat(seen.state()).isEqualTo(NodeState.of("starting"));
        assertThat(seen.startedAt()).isBetween(before, joined.epoch().now());
        assertThat(seen.leaseUntil()).isBetween(before + LONG_MS, joined.epoch().now() + LONG_MS);
        assertThat(now(it().members())).containsExactly(seen);
        assertThat(now(it().member(joined.number() + 1))).isEmpty();
    }

    @Test
    void join_withAStartOfBefore_keepsIt() {
        Joined joined = now(it().join(new NodeInfo(0, "p", "", 4_711, "", "", NodeState.of(""), 0), LONG_MS));
        assertThat(now(it().member(joined.number())).orElseThrow().startedAt()).isEqualTo(4_711);
    }

    @Test
    void publish_replacesWhatIsSaidAndNothingElse() {
        Joined joined = now(it().join(NODE, LONG_MS));
        NodeInfo before = now(it().member(joined.number())).orElseThrow();
        NodeState state = new NodeState("draining", "1.2-ä", 10_000, true);
        NodeInfo said = new NodeInfo(joined.number(), "p-1", "b", 5, "wss://b", "k\n2", state, 7);
        assertThat(now(it().publish(said))).isTrue();
        assertThat(now(it().member(joined.number())))
                .contains(new NodeInfo(
                        joined.number(),
                        "p-1",
                        "b",
                        before.startedAt(),
                        "wss://b",
                        "k\n2",
                        state,
                        before.leaseUntil()));
    }

    @Test
    void publish_ofAnotherProcessOrNoMember_isRefused() {
        Joined joined = now(it().join(NODE, LONG_MS));
        assertThat(now(it().publish(new NodeInfo(joined.number(), "p-2", "", 0, "", "", NodeState.of("x"), 0))))
                .isFalse();
        assertThat(now(it().publish(new NodeInfo(joined.number() + 1, "p-1", "", 0, "", "", NodeState.of("x"), 0))))
                .isFalse();
        assertThat(now(it().members())).extracting(NodeInfo::state).containsExactly(NodeState.of("starting"));
    }

    @Test
    void publish_afterLeaving_bringsNobodyBack() {
        Joined joined = now(it().join(NODE, LONG_MS));
        now(it().leave(joined.number(), "p-1"));
        assertThat(now(it().publish(new NodeInfo(joined.number(), "p-1", "", 0, "", "", NodeState.of("x"), 0))))
                .isFalse();
        assertThat(now(it().members())).isEmpty();
        assertThat(now(it().member(joined.number()))).isEmpty();
    }

    @Test
    void renewal_ofAMember_movesItsEnd_ofOthers_isRefused() {
        Joined joined = now(it().join(NODE, LONG_MS));
        Renewal renewal = now(it().renew(joined.number(), "p-1", 2 * LONG_MS));
        assertThat(renewal.refused()).isFalse();
        assertThat(renewal.epoch().id()).isEqualTo(joined.epoch().id());
        assertThat(renewal.epoch().since()).isEqualTo(joined.epoch().since());
        assertThat(renewal.epoch().now()).isGreaterThanOrEqualTo(joined.epoch().now());
        NodeInfo seen = now(it().member(joined.number())).orElseThrow();
        assertThat(seen.leaseUntil()).isGreaterThanOrEqualTo(joined.epoch().now() + 2 * LONG_MS);
        assertThat(seen.linkKey()).isEqualTo("key+/=");
        assertThat(now(it().renew(joined.number(), "p-2", LONG_MS)).refused()).isTrue();
        assertThat(now(it().renew(joined.number() + 1, "p-1", LONG_MS)).refused())
                .isTrue();
        assertThat(now(it().member(joined.number() + 1))).isEmpty();
    }

    /** Dead is declared, not read: until somebody did, the node may have renewed in time for all that others know. */
    @Test
    void lease_ended_isNoLiveMemberButMayRenewUntilDeclared() {
        Joined joined = now(it().join(NODE, 1));
        pass(5);
        assertThat(now(it().members())).isEmpty();
        assertThat(now(it().member(joined.number()))).isPresent();
        assertThat(now(it().renew(joined.number(), "p-1", LONG_MS)).refused()).isFalse();
        assertThat(now(it().declareDead(10))).isEmpty();
        assertThat(now(it().members())).hasSize(1);
    }

    @Test
    void declared_neverRenews() {
        Joined joined = now(it().join(NODE, 1));
        Joined other = now(it().join(process("p-2"), LONG_MS));
        pass(5);
        assertThat(now(it().declareDead(10))).containsExactly(joined.number());
        assertThat(now(it().declareDead(10))).isEmpty();
        assertThat(now(it().renew(joined.number(), "p-1", LONG_MS)).refused()).isTrue();
        assertThat(now(it().publish(new NodeInfo(joined.number(), "p-1", "", 0, "", "", NodeState.of(""), 0))))
                .isFalse();
        assertThat(now(it().member(joined.number()))).isEmpty();
        assertThat(now(it().members())).extracting(NodeInfo::number).containsExactly(other.number());
        assertThat(now(it().join(NODE, LONG_MS)).number()).isGreaterThan(other.number());
    }

    @Test
    void declaring_isBoundedAndFinishesLater() {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            numbers.add(now(it().join(process("p-" + i), 1)).number());
        }
        pass(5);
        List<Long> declared = new ArrayList<>();
        for (int size : new int[] {10, 10, 5, 0}) {
            List<Long> step = now(it().declareDead(10));
            assertThat(step).hasSize(size);
            declared.addAll(step);
        }
        assertThat(declared).containsExactlyElementsOf(numbers);
    }

    @Test
    void leave_oneself_leavesNoObligation_another_isIgnored() {
        Joined joined = now(it().join(NODE, 1));
        now(it().leave(joined.number(), "p-2"));
        assertThat(now(it().member(joined.number()))).isPresent();
        now(it().leave(joined.number(), "p-1"));
        now(it().leave(joined.number(), "p-1"));
        pass(5);
        assertThat(now(it().member(joined.number()))).isEmpty();
        assertThat(now(it().declareDead(10))).isEmpty();
        assertThat(now(it().claimCleanup("x", LONG_MS))).isEmpty();
        assertThat(now(it().renew(joined.number(), "p-1", LONG_MS)).refused()).isTrue();
    }

    @Test
    void cleanup_isClaimedByOneAtATimeAndForgottenWhenAcknowledged() {
        List<Long> numbers = dead(3);
        assertThat(now(it().claimCleanup("a", LONG_MS))).contains(numbers.get(0));
        assertThat(now(it().claimCleanup("b", LONG_MS))).contains(numbers.get(1));
        assertThat(now(it().claimCleanup("c", LONG_MS))).contains(numbers.get(2));
        assertThat(now(it().claimCleanup("d", LONG_MS))).isEmpty();
        assertThat(now(it().acknowledgeCleanup(numbers.get(1), "a"))).isFalse();
        assertThat(now(it().acknowledgeCleanup(numbers.get(1), "b"))).isTrue();
        assertThat(now(it().acknowledgeCleanup(numbers.get(1), "b"))).isFalse();
        assertThat(now(it().acknowledgeCleanup(4_711, "b"))).isFalse();
    }

    /** A stale acknowledgement cannot touch an obligation of the same number that was claimed again. */
    @Test
    void cleanup_claimThatLapsed_isAnothersAndTheLateOneEndsNothing() {
        long number = dead(1).get(0);
        assertThat(now(it().claimCleanup("a", SHORT_MS))).contains(number);
        assertThat(now(it().claimCleanup("b", LONG_MS))).isEmpty();
        Awaiting.until(
                "the claim lapses", () -> now(it().claimCleanup("b", LONG_MS)).isPresent());
        assertThat(now(it().acknowledgeCleanup(number, "a"))).isFalse();
        assertThat(now(it().acknowledgeCleanup(number, "b"))).isTrue();
        pass(SHORT_MS + 50);
        assertThat(now(it().claimCleanup("c", LONG_MS))).isEmpty();
    }

    @Test
    void cleanup_claimedAndReleased_comesAfterThoseThatWaited() {
        List<Long> numbers = dead(2);
        pass(3);
        assertThat(now(it().claimCleanup("a", 0))).contains(numbers.get(0));
        pass(3);
        assertThat(now(it().claimCleanup("b", LONG_MS))).contains(numbers.get(1));
        assertThat(now(it().claimCleanup("c", LONG_MS))).contains(numbers.get(0));
    }

    @Test
    void epoch_renewed_isAnotherOnceOnly() {
        Joined joined = now(it().join(NODE, LONG_MS));
        pass(5);
        Epoch second = now(it().renewEpoch(joined.epoch().id()));
        assertThat(second.id()).isNotEqualTo(joined.epoch().id());
        assertThat(second.since()).isGreaterThan(joined.epoch().since());
        assertThat(now(it().renewEpoch(joined.epoch().id())).id()).isEqualTo(second.id());
        assertThat(now(it().renew(joined.number(), "p-1", LONG_MS)).epoch().id())
                .isEqualTo(second.id());
        Joined next = now(it().join(process("p-2"), LONG_MS));
        assertThat(next.epoch().id()).isEqualTo(second.id());
        assertThat(next.fresh()).isFalse();
        assertThat(next.number()).isGreaterThan(joined.number());
    }

    @Test
    void epoch_renewedByManyAtOnce_isOne() {
        Joined joined = now(it().join(NODE, LONG_MS));
        HashSet<String> ids = new HashSet<>();
        List<CompletionStage<Epoch>> all = IntStream.range(0, 50)
                .mapToObj(i -> it().renewEpoch(joined.epoch().id()))
                .toList();
        all.forEach(one -> ids.add(now(one).id()));
        assertThat(ids).hasSize(1).doesNotContain(joined.epoch().id());
    }

    /** Renewals may be among what was lost: nobody is dead by a lease that is older than the epoch. */
    @Test
    void epoch_renewed_letsEveryLeaseRunAnew() {
        Joined shorter = now(it().join(NODE, SHORT_MS));
        Joined longer = now(it().join(process("p-2"), LONG_MS));
        long ends = now(it().member(longer.number())).orElseThrow().leaseUntil();
        pass(SHORT_MS + 20);
        Epoch epoch = now(it().renewEpoch(shorter.epoch().id()));
        assertThat(now(it().declareDead(10))).isEmpty();
        assertThat(now(it().member(shorter.number())).orElseThrow().leaseUntil())
                .isEqualTo(epoch.since() + SHORT_MS);
        assertThat(now(it().member(longer.number())).orElseThrow().leaseUntil()).isGreaterThan(ends);
        Awaiting.until("the lease ends again", () -> now(it().declareDead(10)).contains(shorter.number()));
    }

    @Test
    void epoch_verified_staysAsLongAsTheStore() {
        Joined joined = now(it().join(NODE, LONG_MS));
        for (int i = 0; i < 5; i++) {
            assertThat(now(it().verifyEpoch(joined.epoch().id())).id())
                    .isEqualTo(joined.epoch().id());
        }
        assertThat(now(it().verifyEpoch("e-another")).id())
                .isEqualTo(joined.epoch().id());
    }

    @Test
    void text_sent_isHeardByEverySubscriberOfItsChannelUntilItEnds() throws Exception {
        List<String> one = Collections.synchronizedList(new ArrayList<>());
        List<String> two = Collections.synchronizedList(new ArrayList<>());
        List<String> other = Collections.synchronizedList(new ArrayList<>());
        AutoCloseable first = now(it().subscribe("a", one::add));
        now(it().subscribe("a", two::add));
        now(it().subscribe("b", other::add));
        now(it().publish("a", "{\"ä\":1.00}"));
        Awaiting.until("both have heard", () -> one.size() == 1 && two.size() == 1);
        assertThat(one).containsExactly("{\"ä\":1.00}");
        first.close();
        Awaiting.until("only one hears", () -> {
            int before = one.size();
            int heard = two.size();
            now(it().publish("a", "x"));
            Awaiting.until("the other has heard", () -> two.size() > heard);
            return one.size() == before;
        });
        assertThat(other).isEmpty();
    }

    private List<Long> dead(int count) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(now(it().join(process("p-" + i), 1)).number());
        }
        pass(5);
        assertThat(now(it().declareDead(count))).hasSize(count);
        return numbers;
    }

    /** Lets the store's clock go on. */
    private void pass(long ms) {
        long end = time() + ms;
        Awaiting.until("time passes", () -> time() >= end);
    }

    static NodeInfo process(String process) {
        return new NodeInfo(0, process, "", 0, "", "", NodeState.of(""), 0);
    }

    private static List<Long> sorted(Set<Long> numbers) {
        return numbers.stream().sorted().toList();
    }

    static <T> T now(CompletionStage<T> answer) {
        return answer.toCompletableFuture()
                .orTimeout(Duration.ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
