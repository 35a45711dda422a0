package io.huddle.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.huddle.membership.Broadcasts.Outcome;
import io.huddle.membership.Membership.Broadcast;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Broadcasts between nodes in virtual time. */
class BroadcastsTest {
    private static final String DATA = "{\"b\":1.00,\"a\":[9007199254740993]}";

    private final World world = new World();
    private final LocalMembership store = new LocalMembership(world::storeMs);
    private final Sailor one = Sailor.joined(world, store);
    private final Sailor two = Sailor.joined(world, store);
    private final List<Broadcast> heardByOne = new ArrayList<>();
    private final List<Broadcast> heardByTwo = new ArrayList<>();

    @BeforeEach
    void hear() {
        one.broadcasts.on("a", heardByOne::add);
        two.broadcasts.on("a", heardByTwo::add);
        world.run(100);
    }

    @Test
    void broadcast_isHeardByAllAsTheSameText() {
        CompletableFuture<Void> sent = one.broadcasts.send("a", DATA, false).toCompletableFuture();
        world.run(50);
        assertThat(sent).isCompleted();
        assertThat(heardByOne).containsExactly(new Broadcast("a", DATA, one.number()));
        assertThat(heardByTwo).isEqualTo(heardByOne);
        assertThat(two.outcomes).containsExactly(Outcome.DELIVERED);
    }

    @Test
    void broadcast_skippingItself_isHeardByTheOthers() {
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heardByOne).isEmpty();
        assertThat(heardByTwo).hasSize(1);
    }

    @Test
    void broadcast_ofATypeNobodyHears_isNothing() {
        one.broadcasts.send("b", DATA, false);
        world.run(50);
        assertThat(two.outcomes).isEmpty();
    }

    @Test
    void broadcast_thatIsNone_isRefusedBeforeAnybodyHearsIt() {
        assertThatIllegalArgumentException().isThrownBy(() -> one.broadcasts.send("a", "{", false));
        assertThatIllegalArgumentException().isThrownBy(() -> one.broadcasts.send("", DATA, false));
        world.run(50);
        assertThat(heardByOne).isEmpty();
    }

    @Test
    void sender_withoutALease_sendsNothing() {
        one.cutOff();
        world.run(9_000);
        CompletableFuture<Void> sent = one.broadcasts.send("a", DATA, false).toCompletableFuture();
        world.run(50);
        assertThat(sent).isCompletedExceptionally();
        assertThat(heardByOne).isEmpty();
        assertThat(heardByTwo).isEmpty();
    }

    @Test
    void store_silent_failsAndTheSenderItselfHasHeard() {
        one.requestMs = -2;
        CompletableFuture<Void> sent = one.broadcasts.send("a", DATA, false).toCompletableFuture();
        world.run(5_100);
        assertThat(sent).isCompletedExceptionally();
        assertThat(heardByOne).hasSize(1);
        assertThat(heardByTwo).isEmpty();
    }

    @Test
    void sender_thatIsNoMember_isRefused() {
        arrives(new Envelope("a", 4_711, "p-x", DATA).encode());
        arrives(new Envelope("a", one.number(), "p-x", DATA).encode());
        assertThat(heardByTwo).isEmpty();
        assertThat(two.outcomes).containsExactly(Outcome.STRANGER, Outcome.STRANGER);
    }

    @Test
    void sender_declaredDead_isRefusedWithinASecond() {
        long number = one.number();
        String late = new Envelope("a", number, one.member.process(), DATA).encode();
        one.kill();
        assertThat(world.until(15_000, () -> two.told.contains(new NodeDied(number))))
                .isTrue();
        world.run(1_100);
        arrives(late);
        assertThat(heardByTwo).isEmpty();
        assertThat(two.outcomes).containsExactly(Outcome.STRANGER);
    }

    @Test
    void text_thatIsNoEnvelope_isCountedAndNothingElse() {
        arrives("nonsense");
        arrives("{\"protocol\":2,\"type\":\"a\",\"number\":1,\"process\":\"p\",\"data\":1}");
        assertThat(two.outcomes).containsExactly(Outcome.MALFORMED, Outcome.MALFORMED);
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heardByTwo).hasSize(1);
    }

    @Test
    void handler_thatThrows_keepsTheMessageFromNobody() {
        two.broadcasts.on("c", broadcast -> {
            throw new IllegalStateException("by the test");
        });
        two.broadcasts.on("c", heardByTwo::add);
        one.broadcasts.send("c", DATA, true);
        one.broadcasts.send("c", DATA, true);
        world.run(50);
        assertThat(heardByTwo).hasSize(2);
        assertThat(two.outcomes).containsExactly(Outcome.FAILED, Outcome.DELIVERED, Outcome.FAILED, Outcome.DELIVERED);
    }

    /** Of more runners than there are, each would have ended with one of these. */
    @Test
    void handler_thatFailsWithAnError_holdsUpNothing() {
        two.broadcasts.on("d", broadcast -> {
            throw new NoClassDefFoundError("by the test");
        });
        for (int i = 0; i < 6; i++) {
            one.broadcasts.send("d", DATA, true);
            world.run(50);
        }
        assertThat(two.outcomes).hasSize(6).containsOnly(Outcome.FAILED);
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heardByTwo).hasSize(1);
    }

    @Test
    void overflow_isDroppedAndCounted_andAfterItAllIsWell() {
        two.host.pause(1_000);
        String text = new Envelope("a", one.number(), one.member.process(), DATA).encode();
        for (int i = 0; i < 4_100; i++) {
            store.publish(Broadcasts.CHANNEL, text);
        }
        world.run(2_000);
        assertThat(heardByTwo).hasSize(4_096);
        assertThat(two.outcomes.stream().filter(outcome -> outcome == Outcome.OVERFLOW))
                .hasSize(4);
        store.publish(Broadcasts.CHANNEL, text);
        world.run(50);
        assertThat(heardByTwo).hasSize(4_097);
    }

    @Test
    void subscription_thatFails_isTriedAgain() {
        Sailor three = new Sailor(world, () -> store, Sailor.TERMS);
        three.cutOff();
        List<Broadcast> heard = new ArrayList<>();
        three.broadcasts.on("a", heard::add);
        three.start();
        world.run(10_000);
        three.heal();
        world.run(5_000);
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heard).hasSize(1);
    }

    @Test
    void subscription_afterTheEnd_hearsNothing_startedAgain_hearsOnce() {
        two.broadcasts.stop();
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heardByTwo).isEmpty();
        two.broadcasts.start();
        world.run(50);
        one.broadcasts.send("a", DATA, true);
        world.run(50);
        assertThat(heardByTwo).hasSize(1);
    }

    private void arrives(String text) {
        store.publish(Broadcasts.CHANNEL, text);
        world.run(50);
    }
}
