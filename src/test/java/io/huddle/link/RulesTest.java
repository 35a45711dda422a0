package io.huddle.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.huddle.link.wire.Header;
import io.huddle.link.wire.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small rules that a link is made of, each alone and without time. */
class RulesTest {
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final int MOST = 1_000;

    private static Frame frame(long id, int size) {
        byte[] body = new byte[size];
        new Random(id).nextBytes(body);
        return new Frame(Header.newBuilder().setKind(Kind.RESULT).setId(id).build(), ByteString.copyFrom(body));
    }

    // Frames.

    @Test
    void frames_cutAnywhere_comeOutWholeAndInOrder() throws MalformedFrame {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Frame> sent = new ArrayList<>();
        for (int i = 1; i <= 200; i++) {
            sent.add(frame(i, random.nextInt(MOST + 1)));
        }
        ByteBuffer all = ByteBuffer.wrap(Frame.encode(sent));
        FrameReader reader = new FrameReader(MOST);
        List<Frame> read = new ArrayList<>();
        while (all.hasRemaining()) {
            int size = Math.min(all.remaining(), random.nextInt(random.nextBoolean() ? 4 : 3_000));
            ByteBuffer part = all.slice(all.position(), size);
            all.position(all.position() + size);
            reader.read(part, read::add);
        }
        assertThat(read).as("seed %d", seed).isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 0",
                "-1 0",
                "65537 0",
                "1 -1",
                "1 1001",
                "2147483647 2147483647",
            })
    void frame_withLengthsOutOfBounds_isRefusedBeforeItsBytesCome(String lengths) {
        String[] each = lengths.split(" ", -1);
        ByteBuffer start = ByteBuffer.allocate(8)
                .putInt(Integer.parseInt(each[0]))
                .putInt(Integer.parseInt(each[1]))
                .flip();
        FrameReader reader = new FrameReader(MOST);
        assertThatThrownBy(() -> reader.read(start, frame -> {})).isInstanceOf(MalformedFrame.class);
    }

    @Test
    void frame_whoseHeaderIsNone_isRefused() {
        ByteBuffer bytes = ByteBuffer.allocate(10)
                .putInt(2)
                .putInt(0)
                .put((byte) 0xff)
                .put((byte) 0xff)
                .flip();
        assertThatThrownBy(() -> new FrameReader(MOST).read(bytes, frame -> {})).isInstanceOf(MalformedFrame.class);
    }

    // What was answered.

    @Test
    void calls_areNewOnceEach_whateverWasForgotten() {
        Answers answers = new Answers(Duration.ofSeconds(60).toNanos(), 16_000);
        for (long id = 1; id <= 100_000; id++) {
            assertThat(answers.isNew(id)).isTrue();
            answers.keep(id, frame(id, 100), 0);
            assertThat(answers.bytes()).isLessThanOrEqualTo(16_000);
        }
        assertThat(answers.isNew(1)).as("its answer was pushed out long ago").isFalse();
        assertThat(answers.isNew(100_000)).isFalse();
        assertThat(answers.answer(1, 0)).isNull();
        assertThat(answers.answer(100_000, 0)).isEqualTo(frame(100_000, 100));
        assertThat(answers.isNew(100_001)).isTrue();
    }

    @Test
    void answers_areKeptForTheirTime_andThenForgottenWithTheirBytes() {
        Answers answers = new Answers(1_000, 16_000);
        answers.isNew(1);
        answers.keep(1, frame(1, 10), 0);
        assertThat(answers.answer(1, 1_000)).isNotNull();
        assertThat(answers.answer(1, 1_001)).isNull();
        assertThat(answers.bytes()).isZero();
        assertThat(answers.isNew(1)).isFalse();
    }

    @Test
    void answer_tooLargeToKeep_pushesOutNoOther() {
        Answers answers = new Answers(1_000, 16_000);
        answers.isNew(1);
        answers.keep(1, frame(1, 10), 0);
        answers.isNew(2);
        answers.keep(2, frame(2, 2_000), 0);
        assertThat(answers.answer(1, 0)).isNotNull();
        assertThat(answers.answer(2, 0)).isNull();
        assertThat(answers.isNew(2)).isFalse();
    }

    // What calls may take.

    @Test
    void budget_isBoundedInNumberAndBytes_andWhatIsRefusedTakesNothing() {
        Budget few = new Budget(2, 1_000_000);
        assertThat(few.take(10)).isTrue();
        assertThat(few.take(10)).isTrue();
        assertThat(few.take(10)).isFalse();
        few.release(10);
        assertThat(few.take(10)).isTrue();
        Budget small = new Budget(100, 1_000);
        assertThat(small.take(700)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            assertThat(small.take(700)).isFalse();
        }
        small.release(700);
        assertThat(small.take(700)).isTrue();
        assertThat(small.calls()).isEqualTo(1);
    }

    // Nonces.

    @Test
    void nonce_isUsedOnce_forAsLongAsItsProofHolds() {
        AtomicLong nanos = new AtomicLong(Duration.ofSeconds(-5).toNanos());
        SeenNonces nonces = new SeenNonces(10, nanos::get);
        assertThat(nonces.use("a")).isEqualTo(SeenNonces.Use.FIRST);
        for (int second = 0; second < 60; second++) {
            assertThat(nonces.use("a")).as("after %d s", second).isEqualTo(SeenNonces.Use.REPEATED);
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertThat(nonces.use("a")).as("after 60 s").isEqualTo(SeenNonces.Use.REPEATED);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(nonces.use("a")).isEqualTo(SeenNonces.Use.FIRST);
        nanos.addAndGet(Duration.ofDays(1).toNanos());
        assertThat(nonces.use("b")).isEqualTo(SeenNonces.Use.FIRST);
        assertThat(nonces.size()).isEqualTo(1);
    }

    // Pins.

    @Test
    void pin_isHeldUntilItsLastOwnerLetsGo_andAnotherKeyIsRefusedMeanwhile() {
        Pins pins = new Pins(1);
        assertThat(pins.hold(1, "p", "k")).isEqualTo(Pins.Hold.HELD);
        assertThat(pins.hold(1, "p", "k")).isEqualTo(Pins.Hold.HELD);
        assertThat(pins.hold(1, "p", "other")).isEqualTo(Pins.Hold.CONFLICT);
        assertThat(pins.hold(1, "q", "k")).isEqualTo(Pins.Hold.CONFLICT);
        assertThat(pins.hold(2, "p", "k")).isEqualTo(Pins.Hold.FULL);
        pins.release(1);
        assertThat(pins.hold(2, "p", "k")).isEqualTo(Pins.Hold.FULL);
        pins.release(1);
        assertThat(pins.hold(2, "p", "k")).isEqualTo(Pins.Hold.HELD);
    }

    // Writing.

    @Test
    void writer_hasOneMessageUnderWay_andGathersWhatWaits_controlFirstAndOneChunk() throws MalformedFrame {
        List<byte[]> messages = new ArrayList<>();
        List<Consumer<@Nullable Throwable>> under = new ArrayList<>();
        Writer writer = new Writer(
                (message, done) -> {
                    byte[] bytes = new byte[message.remaining()];
                    message.get(bytes);
                    messages.add(bytes);
                    under.add(done);
                },
                1 << 20,
                () -> 0,
                (what, count) -> {},
                failed -> {});
        writer.offer(Writer.Item.of(frame(1, 10)));
        writer.offerBulk(Writer.Item.of(frame(100, 10)));
        writer.offerBulk(Writer.Item.of(frame(101, 10)));
        writer.offer(Writer.Item.of(frame(2, 10)));
        writer.offer(Writer.Item.of(frame(3, 10)));
        writer.offerControl(frame(50, 0));
        assertThat(messages).hasSize(1);
        under.remove(0).accept(null);
        under.remove(0).accept(null);
        under.remove(0).accept(null);
        assertThat(messages).hasSize(3);
        List<List<Long>> ids = new ArrayList<>();
        for (byte[] message : messages) {
            List<Long> inIt = new ArrayList<>();
            new FrameReader(MOST)
                    .read(ByteBuffer.wrap(message), one -> inIt.add(one.header().getId()));
            ids.add(inIt);
        }
        assertThat(ids).containsExactly(List.of(1L), List.of(50L, 2L, 3L, 100L), List.of(101L));
        assertThat(writer.isIdle()).isTrue();
    }

    @Test
    void writer_whoseSocketFails_tellsItOnceAndTakesNothing() {
        List<Throwable> failures = new ArrayList<>();
        Writer writer = new Writer(
                (message, done) -> {
                    throw new IllegalStateException("gone");
                },
                MOST,
                () -> 0,
                (what, count) -> {},
                failures::add);
        writer.offer(Writer.Item.of(frame(1, 10)));
        assertThat(failures).hasSize(1);
        assertThat(writer.offer(Writer.Item.of(frame(2, 10)))).isEqualTo(Writer.Offer.CLOSED);
    }

    @Test
    void writer_pastItsBound_refuses_untilSomethingWasTakenBackOrWritten() {
        Writer writer = new Writer((message, done) -> {}, 100, () -> 0, (what, count) -> {}, failed -> {});
        writer.offer(Writer.Item.of(frame(1, 10)));
        Writer.Item waiting = Writer.Item.of(frame(2, 70));
        assertThat(writer.offer(waiting)).isEqualTo(Writer.Offer.TAKEN);
        assertThat(writer.offer(Writer.Item.of(frame(3, 70)))).isEqualTo(Writer.Offer.FULL);
        writer.withdraw(waiting);
        writer.withdraw(waiting);
        assertThat(writer.waitingBytes()).isZero();
        assertThat(writer.offer(Writer.Item.of(frame(3, 70)))).isEqualTo(Writer.Offer.TAKEN);
    }

    @Test
    void writer_keepsNoCallThatIsOverBeforeItIsTakenIn() {
        Writer writer = new Writer((message, done) -> {}, 100, () -> 0, (what, count) -> {}, failed -> {});
        writer.offer(Writer.Item.of(frame(1, 10)));
        Outgoing over = new Outgoing(new Peer(2, "p", "", ""), "echo", ByteString.EMPTY, Long.MAX_VALUE);
        over.expire();
        assertThat(writer.offer(new Writer.Item(70, now -> frame(2, 10), over))).isEqualTo(Writer.Offer.TAKEN);
        assertThat(writer.waitingBytes()).isZero();
    }

    // Settings.

    @Test
    void limits_withoutSettings_areThoseOfTheTable() {
        assertThat(Limits.configured())
                .isEqualTo(new Limits(
                        64,
                        8_388_608,
                        16_777_216,
                        4_096,
                        16_384,
                        67_108_864,
                        Duration.ofSeconds(5).toNanos(),
                        Duration.ofSeconds(2).toNanos(),
                        3,
                        Duration.ofMinutes(1).toNanos(),
                        Duration.ofMinutes(1).toNanos(),
                        4_194_304,
                        1_048_576,
                        1_024));
    }

    // Addresses.

    @Test
    void address_isOptional_butOnlyTogetherWithASecret() {
        assertThat(MeshAddress.of("", "", false).isEnabled()).isFalse();
        assertThat(MeshAddress.of("wss://a:1/mesh", SECRET, false).isEnabled()).isTrue();
        assertThatThrownBy(() -> MeshAddress.of("wss://a:1/mesh", "", false))
                .hasMessageContaining("huddle.mesh.secret");
        assertThatThrownBy(() -> MeshAddress.of("", SECRET, false)).hasMessageContaining("huddle.mesh.url");
    }

    @Test
    void secrets_areEachLongEnough_andNeverShown() {
        MeshAddress two = MeshAddress.of("wss://a:1/mesh", SECRET + " , " + SECRET + "x", false);
        assertThat(two.secrets()).containsExactly(SECRET, SECRET + "x");
        assertThat(two.toString()).doesNotContain(SECRET);
        assertThatThrownBy(() -> MeshAddress.of("wss://a:1/mesh", SECRET + ",short-one", false))
                .hasMessageContaining("9 bytes")
                .hasMessageNotContaining("short-one");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://a/mesh",
                "wss://a/",
                "wss://a/mesh/",
                "wss://a/stream",
                "wss://a/mesh?x=1",
                "wss://a/mesh#x",
                "wss://user:pass@a/mesh",
                "wss:///mesh",
                "a:1/mesh",
                "wss://a b/mesh",
                "ws://10.0.0.1/mesh",
                "ws://a/mesh"
            })
    void address_ofAnotherForm_orPlainToAnotherHost_stopsTheStart(String url) {
        assertThatThrownBy(() -> MeshAddress.of(url, SECRET, false)).hasMessageContaining("huddle.mesh.url");
        assertThat(MeshAddress.isUsable(url, false)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ws://localhost:9080/mesh", "ws://127.0.0.1/mesh", "ws://[::1]:1/mesh", "WSS://a/mesh"})
    void address_onLoopbackOrEncrypted_isGood(String url) {
        assertThat(MeshAddress.of(url, SECRET, false).url()).isEqualTo(url);
    }

    @Test
    void path_ofAClient_overTheLinks_isSeen() {
        assertThat(List.of("/mesh", "/mesh/*", "/mesh/stream")).allMatch(MeshAddress::overlaps);
        assertThat(List.of("/stream", "/*", "/", "/meshes", "/api/*", "*.mesh")).noneMatch(MeshAddress::overlaps);
    }

    @Test
    void address_plainToAnotherHost_isGoodWhereThatIsAllowed() {
        assertThat(MeshAddress.of("ws://10.0.0.1/mesh", SECRET, true).isEnabled())
                .isTrue();
    }
}
