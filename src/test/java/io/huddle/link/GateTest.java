package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.link.wire.Hello;
import io.huddle.membership.NodeInfo;
import io.huddle.membership.NodeState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who is let in, and what a refusal uses up. */
class GateTest {
    private static final List<String> SECRETS = List.of("a secret of the group, of 32 bytes");
    private static final long WALL = 1_800_000_000_000L;

    private final KeyOfProcess oneKey = new KeyOfProcess();
    private final KeyOfProcess twoKey = new KeyOfProcess();
    private final Proofs atOne = new Proofs(SECRETS, oneKey, "/mesh");
    private final Peer two = new Peer(2, "p-two", "wss://two/mesh", twoKey.published());
    private final Map<Long, NodeInfo> members = new ConcurrentHashMap<>();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong nonce = new AtomicLong();
    private final SeenNonces nonces = new SeenNonces(3, nanos::get);
    private final Pins pins = new Pins(2);
    private Optional<Self> self = Optional.of(new Self(2, "p-two"));
    private boolean room = true;
    private int clockReads;
    private int lookups;
    private CompletionStage<Optional<NodeInfo>> directory = new CompletableFuture<>();
    private boolean directoryAnswers = true;
    private final Gate gate = new Gate(
            new Proofs(SECRETS, twoKey, "/mesh"),
            () -> self,
            number -> {
                lookups++;
                return directoryAnswers
                        ? CompletableFuture.completedStage(Optional.ofNullable(members.get(number)))
                        : directory;
            },
            (number, process) -> room,
            pins,
            nonces,
            this::wall,
            () -> new byte[Proofs.NONCE_BYTES],
            1);
    private Runnable whileTheClockIsRead = () -> {};

    private long wall() {
        clockReads++;
        Runnable once = whileTheClockIsRead;
        whileTheClockIsRead = () -> {};
        once.run();
        return WALL;
    }

    private String header(long number, String process, Proofs by) {
        byte[] bytes = new byte[Proofs.NONCE_BYTES];
        bytes[0] = (byte) nonce.incrementAndGet();
        return Proofs.encode(by.hello(new Self(number, process), two, WALL, bytes));
    }

    private String header() {
        return header(1, "p-one", atOne);
    }

    private void publish(long number, String process, KeyOfProcess key) {
        members.put(number, new NodeInfo(number, process, "host", 0, "", key.published(), NodeState.of("ready"), 0));
    }

    @Test
    void node_thatTheMembershipKnows_isLetInAndAnsweredWithAProof() {
        publish(1, "p-one", oneKey);
        String header = header();
        Gate.Judgement judgement = gate.judge(header);
        assertThat(judgement.status()).isZero();
        assertThat(judgement.ends()).isEqualTo(new Link.Ends(2, 1, "p-one", "p-one", 1));
        assertThat(atOne.isFrom(
                        two,
                        Proofs.decodeWelcome(judgement.welcome()).orElseThrow(),
                        Proofs.decodeHello(header).orElseThrow(),
                        WALL))
                .isTrue();
        assertThat(pins.size()).isEqualTo(1);
    }

    @Test
    void handshake_thatProvesNothing_isForbidden() {
        assertThat(gate.judge(null).status()).isEqualTo(403);
        assertThat(gate.judge("").status()).isEqualTo(403);
        assertThat(gate.judge("AAAA").status()).isEqualTo(403);
        publish(1, "p-one", oneKey);
        Proofs stranger = new Proofs(List.of("another secret, of 32 bytes as well"), oneKey, "/mesh");
        assertThat(gate.judge(header(1, "p-one", stranger)).status()).isEqualTo(403);
        assertThat(nonces.size()).isZero();
        assertThat(pins.size()).isZero();
    }

    @Test
    void handshake_withoutTheSecret_orForAnother_asksNeitherTheClockNorTheMembership() {
        Proofs stranger = new Proofs(List.of("another secret, of 32 bytes as well"), oneKey, "/mesh");
        assertThat(gate.judge(header(1, "p-one", stranger)).status()).isEqualTo(403);
        String mine = header();
        self = Optional.of(new Self(3, "p-two"));
        assertThat(gate.judge(mine).status()).isEqualTo(403);
        assertThat(clockReads).isZero();
        self = Optional.of(new Self(2, "p-two"));
        Hello late = Proofs.decodeHello(mine).orElseThrow().toBuilder()
                .setTimeMs(WALL + Proofs.SKEW_MS + 1)
                .clearProof()
                .clearSignature()
                .build();
        assertThat(gate.judge(Proofs.encode(atOne.signed(late.toBuilder()))).status())
                .isEqualTo(403);
        assertThat(clockReads).isEqualTo(1);
        assertThat(lookups).isZero();
        publish(1, "p-one", oneKey);
        assertThat(gate.judge(mine).status()).isZero();
        assertThat(lookups).isEqualTo(1);
    }

    @Test
    void handshake_pastThePlaces_isTurnedAwayBeforeTheClockIsAsked_andAStrangerIsToldNothingOfThat() {
        publish(1, "p-one", oneKey);
        Proofs stranger = new Proofs(List.of("another secret, of 32 bytes as well"), oneKey, "/mesh");
        List<Integer> meanwhile = new ArrayList<>();
        whileTheClockIsRead = () -> {
            meanwhile.add(gate.judge(header()).status());
            meanwhile.add(gate.judge(header(1, "p-one", stranger)).status());
            assertThat(clockReads).isEqualTo(1);
        };
        assertThat(gate.judge(header()).status()).isZero();
        assertThat(meanwhile).containsExactly(503, 403);
        assertThat(gate.judge(header()).status()).as("the place is free again").isZero();
    }

    @Test
    void node_thatTheMembershipDoesNotKnow_orKnowsOtherwise_isForbiddenAndUsesNothingUp() {
        assertThat(gate.judge(header()).status()).isEqualTo(403);
        publish(1, "p-old", oneKey);
        assertThat(gate.judge(header()).status()).isEqualTo(403);
        publish(1, "p-one", new KeyOfProcess());
        assertThat(gate.judge(header()).status()).isEqualTo(403);
        assertThat(nonces.size()).isZero();
        assertThat(pins.size()).isZero();
        publish(1, "p-one", oneKey);
        assertThat(gate.judge(header()).status()).isZero();
    }

    /** The membership's answer came late once: the node had joined a moment ago. */
    @Test
    void node_whoseEntryComesWithinTheSecond_isLetIn_andLaterNot() {
        publish(1, "p-one", oneKey);
        directoryAnswers = false;
        directory = new CompletableFuture<Optional<NodeInfo>>()
                .completeOnTimeout(
                        Optional.ofNullable(members.get(1L)), 200, java.util.concurrent.TimeUnit.MILLISECONDS);
        assertThat(gate.judge(header()).status()).isZero();
        directory = new CompletableFuture<>();
        long from = System.nanoTime();
        assertThat(gate.judge(header()).status()).isEqualTo(403);
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void handshake_thatComesAgain_isForbidden() {
        publish(1, "p-one", oneKey);
        String header = header();
        assertThat(gate.judge(header).status()).isZero();
        assertThat(gate.judge(header).status()).isEqualTo(403);
        assertThat(pins.size()).isEqualTo(1);
        pins.release(1);
        assertThat(pins.size()).as("the second one holds nothing").isZero();
    }

    @Test
    void handshakes_pastTheNonces_areTurnedAwayUntilSomeAreForgotten() {
        publish(1, "p-one", oneKey);
        for (int i = 0; i < 3; i++) {
            assertThat(gate.judge(header()).status()).isZero();
        }
        assertThat(gate.judge(header()).status()).isEqualTo(503);
        nanos.addAndGet(Duration.ofSeconds(SeenNonces.SECONDS).toNanos());
        assertThat(gate.judge(header()).status()).isZero();
    }

    @Test
    void handshakes_withoutRoom_areTurnedAway() {
        publish(1, "p-one", oneKey);
        room = false;
        assertThat(gate.judge(header()).status()).isEqualTo(503);
        room = true;
        pins.hold(8, "p", "k");
        pins.hold(9, "p", "k");
        assertThat(gate.judge(header()).status()).isEqualTo(503);
        assertThat(nonces.size()).isZero();
        pins.release(9);
        assertThat(gate.judge(header()).status()).isZero();
    }

    @Test
    void number_thatIsHeldByAnother_isForbidden() {
        publish(1, "p-one", oneKey);
        pins.hold(1, "p-one", "another key");
        assertThat(gate.judge(header()).status()).isEqualTo(403);
    }

    @Test
    void node_withoutALease_letsNobodyIn() {
        publish(1, "p-one", oneKey);
        String header = header();
        self = Optional.empty();
        assertThat(gate.judge(header).status()).isEqualTo(503);
    }
}
