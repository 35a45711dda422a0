package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.huddle.link.wire.Hello;
import io.huddle.link.wire.Welcome;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a proof covers, and that nothing of it can be exchanged. */
class ProofsTest {
    private static final String OLD = "the old secret of the group, 32 b";
    private static final String NEW = "the new secret of the group, 32 b";
    private static final long NOW = 1_800_000_000_000L;
    private static final byte[] NONCE = new byte[Proofs.NONCE_BYTES];

    private final KeyOfProcess oneKey = new KeyOfProcess();
    private final KeyOfProcess twoKey = new KeyOfProcess();
    private final Self one = new Self(1, "p-one");
    private final Self two = new Self(2, "p-two");
    private final Peer peerTwo = new Peer(2, "p-two", "wss://two/mesh", twoKey.published());
    private final Proofs atOne = new Proofs(List.of(OLD), oneKey, "/mesh");
    private final Proofs atTwo = new Proofs(List.of(OLD), twoKey, "/mesh");
    private final Hello hello = atOne.hello(one, peerTwo, NOW, NONCE);

    private Welcome welcome(Proofs.Judged judged) {
        return atTwo.welcome(judged, two, NOW, NONCE);
    }

    private static Optional<Proofs.Judged> judge(Proofs by, Hello hello, Self self, long now) {
        return by.judge(hello, self).filter(judged -> by.isProven(judged, now));
    }

    private Proofs.Judged judged() {
        return judge(atTwo, hello, two, NOW).orElseThrow();
    }

    @Test
    void handshake_ofTwoThatShareASecret_isRightBothWays() {
        assertThat(judged().key()).isEqualTo(oneKey.published());
        assertThat(judged().version()).isEqualTo(1);
        assertThat(atOne.isFrom(peerTwo, welcome(judged()), hello, NOW)).isTrue();
    }

    @Test
    void handshake_overItsHeader_comesBackTheSame() {
        assertThat(Proofs.decodeHello(Proofs.encode(hello))).contains(hello);
        Welcome welcome = welcome(judged());
        assertThat(Proofs.decodeWelcome(Proofs.encode(welcome))).contains(welcome);
    }

    @ParameterizedTest
    @MethodSource
    void header_thatIsNone_isNoHandshake(String header) {
        assertThat(Proofs.decodeHello(header)).isEmpty();
        assertThat(Proofs.decodeWelcome(header)).isEmpty();
    }

    static Stream<String> header_thatIsNone_isNoHandshake() {
        return Stream.of("!", "AAAA", "____", "CAEQ".repeat(1_025));
    }

    /** Every field of a request, changed alone. */
    @ParameterizedTest
    @MethodSource
    void request_withOneFieldChanged_isRefused(Consumer<Hello.Builder> change) {
        Hello.Builder changed = hello.toBuilder();
        change.accept(changed);
        assertThat(changed.build()).isNotEqualTo(hello);
        assertThat(judge(atTwo, changed.build(), two, NOW)).isEmpty();
    }

    static Stream<Consumer<Hello.Builder>> request_withOneFieldChanged_isRefused() {
        return Stream.of(
                hello -> hello.setLeastVersion(0),
                hello -> hello.setMostVersion(2),
                hello -> hello.setNumber(3),
                hello -> hello.setProcess("p-three"),
                hello -> hello.setKey(ByteString.copyFrom(new KeyOfProcess().encoded())),
                hello -> hello.setKey(ByteString.EMPTY),
                hello -> hello.setAudienceNumber(4),
                hello -> hello.setAudienceProcess(""),
                hello -> hello.setTimeMs(NOW + 1),
                hello -> hello.setNonce(ByteString.copyFrom(new byte[] {1})),
                Hello.Builder::clearProof,
                Hello.Builder::clearSignature,
                hello -> hello.setProof(flipped(hello.getProof())),
                hello -> hello.setSignature(flipped(hello.getSignature())));
    }

    private static ByteString flipped(ByteString bytes) {
        byte[] changed = bytes.toByteArray();
        changed[0] ^= 1;
        return ByteString.copyFrom(changed);
    }

    @Test
    void request_forAnother_isRefused() {
        assertThat(judge(atTwo, hello, new Self(3, "p-two"), NOW)).isEmpty();
        assertThat(judge(atTwo, hello, new Self(2, "p-three"), NOW)).isEmpty();
    }

    @Test
    void request_onAnotherPath_isRefused() {
        assertThat(judge(new Proofs(List.of(OLD), twoKey, "/other"), hello, two, NOW))
                .isEmpty();
    }

    @Test
    void request_outOfTime_isRefused() {
        assertThat(judge(atTwo, hello, two, NOW + Proofs.SKEW_MS)).isPresent();
        assertThat(judge(atTwo, hello, two, NOW - Proofs.SKEW_MS)).isPresent();
        assertThat(judge(atTwo, hello, two, NOW + Proofs.SKEW_MS + 1)).isEmpty();
        assertThat(judge(atTwo, hello, two, NOW - Proofs.SKEW_MS - 1)).isEmpty();
    }

    /** The group's secret is everybody's: whoever has it can claim a number, and sign that by a key of its own only. */
    @Test
    void request_thatClaimsAnothersKey_isRefused_andWithItsOwnKeyTellsThatKey() {
        KeyOfProcess forger = new KeyOfProcess();
        Proofs forging = new Proofs(List.of(OLD), forger, "/mesh");
        Hello forged = forging.hello(one, peerTwo, NOW, NONCE);
        assertThat(judge(atTwo, forged, two, NOW).orElseThrow().key()).isNotEqualTo(oneKey.published());
        Hello stolen =
                forged.toBuilder().setKey(ByteString.copyFrom(oneKey.encoded())).build();
        assertThat(judge(atTwo, stolen, two, NOW)).isEmpty();
    }

    @Test
    void version_ofAnotherRange_isRefused_andOfAnOverlappingOneAgreedOn() {
        // What a later release would send: the same proof over its own versions.
        assertThat(judge(atTwo, versions(2, 3), two, NOW)).isEmpty();
        assertThat(judge(atTwo, versions(1, 3), two, NOW).map(Proofs.Judged::version))
                .isEqualTo(Optional.of(1));
        assertThat(judge(atTwo, versions(0, 0), two, NOW)).isEmpty();
    }

    private Hello versions(int least, int most) {
        return atOne.signed(hello.toBuilder()
                .setLeastVersion(least)
                .setMostVersion(most)
                .clearProof()
                .clearSignature());
    }

    @Test
    void secrets_inARotation_areAllAccepted_andAnsweredByTheSameOne() {
        Proofs rotating = new Proofs(List.of(NEW, OLD), twoKey, "/mesh");
        Proofs.Judged judged = judge(rotating, hello, two, NOW).orElseThrow();
        assertThat(atOne.isFrom(peerTwo, rotating.welcome(judged, two, NOW, NONCE), hello, NOW))
                .as("the requester does not know the new one yet")
                .isTrue();
        Proofs rotated = new Proofs(List.of(NEW), twoKey, "/mesh");
        assertThat(judge(rotated, hello, two, NOW)).isEmpty();
        Hello newest = new Proofs(List.of(NEW, OLD), oneKey, "/mesh").hello(one, peerTwo, NOW, NONCE);
        assertThat(judge(rotated, newest, two, NOW)).isPresent();
    }

    @Test
    void answer_toAnotherRequest_isRefused() {
        Welcome welcome = welcome(judged());
        byte[] otherNonce = new byte[Proofs.NONCE_BYTES];
        otherNonce[0] = 1;
        assertThat(atOne.isFrom(peerTwo, welcome, atOne.hello(one, peerTwo, NOW, otherNonce), NOW))
                .isFalse();
        Proofs atThree = new Proofs(List.of(OLD), new KeyOfProcess(), "/mesh");
        assertThat(atThree.isFrom(peerTwo, welcome, atThree.hello(one, peerTwo, NOW, NONCE), NOW))
                .as("another key")
                .isFalse();
        assertThat(atOne.isFrom(peerTwo, welcome, atOne.hello(new Self(9, "p-one"), peerTwo, NOW, NONCE), NOW))
                .as("another number")
                .isFalse();
    }

    @Test
    void answer_ofAnotherThanThePeer_isRefused() {
        Welcome welcome = welcome(judged());
        KeyOfProcess other = new KeyOfProcess();
        assertThat(atOne.isFrom(new Peer(2, "p-two", "", other.published()), welcome, hello, NOW))
                .isFalse();
        assertThat(atOne.isFrom(new Peer(3, "p-two", "", twoKey.published()), welcome, hello, NOW))
                .isFalse();
        assertThat(atOne.isFrom(new Peer(2, "p-new", "", twoKey.published()), welcome, hello, NOW))
                .isFalse();
        Proofs forging = new Proofs(List.of(OLD), other, "/mesh");
        assertThat(atOne.isFrom(peerTwo, forging.welcome(judged(), two, NOW, NONCE), hello, NOW))
                .as("the secret, without the key")
                .isFalse();
    }

    /** The fields of a request, which carries all of a valid proof, sent back as an answer. */
    @Test
    void request_asAnAnswer_isRefused() {
        Welcome reflected = Welcome.newBuilder()
                .setVersion(1)
                .setNumber(hello.getNumber())
                .setProcess(hello.getProcess())
                .setKey(hello.getKey())
                .setTimeMs(hello.getTimeMs())
                .setNonce(hello.getNonce())
                .setProof(hello.getProof())
                .setSignature(hello.getSignature())
                .build();
        Peer self = new Peer(1, "p-one", "", oneKey.published());
        assertThat(atOne.isFrom(self, reflected, hello, NOW)).isFalse();
    }

    @Test
    void answer_withoutProof_orOutOfTime_orOfAVersionNotAskedFor_isRefused() {
        Welcome welcome = welcome(judged());
        assertThat(atOne.isFrom(peerTwo, welcome.toBuilder().clearProof().build(), hello, NOW))
                .isFalse();
        assertThat(atOne.isFrom(peerTwo, welcome.toBuilder().clearSignature().build(), hello, NOW))
                .isFalse();
        assertThat(atOne.isFrom(peerTwo, Welcome.getDefaultInstance(), hello, NOW))
                .isFalse();
        assertThat(atOne.isFrom(peerTwo, welcome, hello, NOW + Proofs.SKEW_MS + 1))
                .isFalse();
        assertThat(atOne.isFrom(peerTwo, welcome.toBuilder().setVersion(2).build(), hello, NOW))
                .isFalse();
    }
}
