package io.huddle.membership;

import static io.huddle.membership.MemberTest.now;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a node believes of the others without asking, in virtual time. */
class NeighboursTest {
    private static final long LEASE_MS = Sailor.TERMS.leaseMs();

    private final World world = new World();
    private final World.Host host = world.host();
    private final LocalMembership store = new LocalMembership(world::storeMs);

    /** What the store was asked for, in its order. */
    private final List<String> asked = new ArrayList<>();

    private final Neighbours neighbours = new Neighbours(counted(), host.alarms(), host.clocks(), Sailor.TERMS);
    private final long number = joined("p-1");

    @Test
    void route_toAKnownNode_asksNobodyForALease() {
        neighbours.all();
        asked.clear();
        for (int i = 0; i < 9; i++) {
            assertThat(route()).isPresent();
            world.run(LEASE_MS / 9);
        }
        assertThat(asked).isEmpty();
        world.run(1);
        assertThat(route()).isPresent();
        assertThat(asked).containsExactly("member");
    }

    @Test
    void route_toANodeThatWasAskedForOnce_isKnownFromThen() {
        assertThat(route()).isPresent();
        world.run(LEASE_MS - 1);
        assertThat(route()).isPresent();
        assertThat(asked).containsExactly("member");
    }

    /** Everything else is as it was a second ago at most: senders of broadcasts, links, owners that are in the way. */
    @Test
    void node_afterASecond_isAskedForAgain() {
        neighbours.all();
        world.run(1_000);
        assertThat(find()).isPresent();
        assertThat(asked).containsExactly("members");
        world.run(1);
        assertThat(find()).isPresent();
        assertThat(asked).containsExactly("members", "member");
    }

    @Test
    void absence_isNeverKept() {
        now(store.leave(number, "p-1"));
        assertThat(route()).isEmpty();
        assertThat(find()).isEmpty();
        assertThat(route()).isEmpty();
        assertThat(asked).containsExactly("member", "member", "member");
    }

    @Test
    void node_thatIsNotAmongAllAnyMore_isAskedFor() {
        assertThat(route()).isPresent();
        now(store.leave(number, "p-1"));
        world.run(1);
        neighbours.all();
        assertThat(route()).isEmpty();
        assertThat(asked).containsExactly("member", "members", "member");
        assertThat(neighbours.count()).isZero();
    }

    /**
     * A node that had lost its lease and joined anew was listed twice until the lease of its old number ended, and its streams
     * were counted twice. What is still recorded under the old number is routed as before.
     */
    @Test
    void process_thatHasJoinedAnew_isOneNode_byItsNewestNumber() {
        long again = joined("p-1");
        long other = joined("p-2");

        assertThat(now(neighbours.all())).extracting(NodeInfo::number).containsExactly(again, other);
        assertThat(neighbours.count()).isEqualTo(2);
        assertThat(route()).isPresent();
        assertThat(asked).containsExactly("members");
    }

    private long joined(String process) {
        return now(store.join(new NodeInfo(0, process, "", 0, "", "", NodeState.of(""), 0), 3_600_000))
                .number();
    }

    /** Below a lease a store that is away costs no call. */
    @Test
    void route_whileTheStoreIsAway_isAsItWasKnown() {
        Sailor here = Sailor.joined(world, store);
        world.run(20_000);
        here.cutOff();
        for (int i = 0; i < 7; i++) {
            world.run(1_000);
            assertThat(here.neighbours.route(number).toCompletableFuture())
                    .isCompletedWithValueMatching(Optional::isPresent);
        }
    }

    private Optional<NodeInfo> route() {
        return now(neighbours.route(number));
    }

    private Optional<NodeInfo> find() {
        return now(neighbours.find(number));
    }

    private MembershipBackend counted() {
        return (MembershipBackend) Proxy.newProxyInstance(
                World.class.getClassLoader(), new Class<?>[] {MembershipBackend.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
