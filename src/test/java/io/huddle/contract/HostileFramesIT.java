package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import io.huddle.harness.RawStream;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.UEchoRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that no client should send: each ends its own stream with the stated code, and no other. */
class HostileFramesIT extends HostileContract {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "null",
                "[]",
                "[{\"pingPong\":{}}]",
                "{\"pingPong\":{}",
                "{\"pingPong\":{}} trailing",
                "{\"pingPong\":{}}{\"pingPong\":{}}",
                "{'pingPong':{}}",
                "{\"pingPong\":{},\"uEchoRequest\":{\"message\":\"two bodies\"},\"requestId\":\"a\"}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":NaN}}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":4294967296}}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":-1}}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":1e999999999}}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":\"1e999999999\"}}",
                "{\"requestId\":\"a\",\"uRenewRequest\":{\"session\":\"s\",\"generation\":1e-999999999}}",
                "{\"requestId\":\"a\",\"uEchoRequest\":\"no object\"}",
                "{\"requestId\":\"\",\"uEchoRequest\":{}}",
                "{\"requestId\":\"nobody asked\",\"reply\":true,\"dSignalResponse\":{}}",
                "{\"requestId\":\"nobody asked\",\"reply\":true,\"error\":\"x\"}",
                "{\"requestId\":\"nobody asked\",\"requestAck\":{}}",
                "{\"requestId\":\"99999999999999999999999\",\"requestAck\":{}}",
                "{\"requestId\":\"0\",\"requestAck\":{}}",
                "{\"requestAck\":{}}",
                "{\"byteStreamOperation\":{}}",
                "{\"byteStreamOperation\":{\"streamId\":1}}",
                "{\"byteStreamOperation\":{\"streamId\":0,\"finish\":{}}}",
                "{\"byteStreamOperation\":{\"streamId\":-1,\"finish\":{}}}",
                "{\"byteStreamOperation\":{\"streamId\":2,\"finish\":{}}}",
                "{\"byteStreamOperation\":{\"streamId\":2,\"destroy\":{}}}",
            })
    void message_thatMakesNoSense_closesItsStreamWith4000(String message) {
        double hits = hits("protocol");
        double closes = closes("bad-argument");
        RawStream stream = raw(JSON);

        stream.text(message);

        assertThat(stream.awaitClose().code()).isEqualTo(4000);
        assertThat(hits("protocol")).isEqualTo(hits + 1);
        assertThat(closes("bad-argument")).isEqualTo(closes + 1);
    }

    @Test
    void error_withoutReply_isAnUnknownMethodAndNoEndOfTheStream() {
        RawStream stream = raw(JSON);
        stream.text("{\"requestId\":\"a\",\"error\":\"out of the blue\"}");
        assertThat(stream.read().text()).contains("unknown-method");
    }

    @Test
    void requestId_tooLong_closes() {
        RawStream stream = raw(JSON);
        stream.text("{\"requestId\":\"" + "i".repeat(257) + "\",\"uEchoRequest\":{}}");
        assertThat(stream.awaitClose().code()).isEqualTo(4000);
    }

    @Test
    void requestId_asLongAsMayBe_isAnswered() {
        RawStream stream = raw(JSON);
        stream.text("{\"requestId\":\"" + "i".repeat(256) + "\",\"uEchoRequest\":{}}");
        assertThat(stream.read().text()).contains("i".repeat(256));
    }

    /** Of two fields of one name the last counts, as in the other codec. */
    @Test
    void field_sentTwice_countsAsTheLast() {
        RawStream stream = raw(JSON);
        stream.text("{\"requestId\":\"a\",\"requestId\":\"b\",\"uEchoRequest\":{\"message\":\"1\",\"message\":\"2\"}}");
        assertThat(stream.read().text()).contains("\"requestId\":\"b\"", "\"message\":\"2\"");
    }

    @Test
    void json_nestedTenThousandDeep_closes() {
        RawStream stream = raw(JSON);
        stream.text("{\"later\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}");
        assertThat(stream.awaitClose().code()).isEqualTo(4000);
        RawStream objects = raw(JSON);
        objects.text("{\"uEchoRequest\":".repeat(4_000) + "{}" + "}".repeat(4_000));
        assertThat(objects.awaitClose().code()).isEqualTo(4000);
    }

    /** An unknown field is to be ignored; eight megabytes of its empty objects took all of a node's memory. */
    @Test
    void json_ofCountlessValuesInAnUnknownField_closes() {
        RawStream stream = raw(JSON);
        stream.text("{\"later\":[" + "{},".repeat(10_001) + "{}]}");
        assertThat(stream.awaitClose().code()).isEqualTo(4000);
        RawStream modest = raw(JSON);
        modest.text("{\"later\":[" + "{},".repeat(1_000) + "{}],\"requestId\":\"a\",\"uEchoRequest\":{}}");
        assertThat(modest.read().text()).contains("\"requestId\":\"a\"");
    }

    /** The same in the other codec, where unknown fields are skipped whatever their number. */
    @Test
    void protobuf_ofCountlessUnknownFields_isReadWithoutThem() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        for (int field = 1_000; field < 13_000; field++) {
            out.writeUInt32(field, 1);
        }
        out.flush();
        ClientMessage.newBuilder()
                .setRequestId("a")
                .setUEchoRequest(UEchoRequest.getDefaultInstance())
                .build()
                .writeTo(bytes);
        RawStream stream = raw(PROTOBUF);
        stream.binary(bytes.toByteArray());
        assertThat(stream.read().opcode()).isEqualTo(RawStream.BINARY);
    }

    @Test
    void protobuf_thatIsNone_closes() {
        RawStream garbage = raw(PROTOBUF);
        garbage.binary(new byte[] {(byte) 0xff, 1, 2, 3});
        assertThat(garbage.awaitClose().code()).isEqualTo(4000);
        RawStream groups = raw(PROTOBUF);
        byte[] nested = new byte[10_000];
        Arrays.fill(nested, (byte) 0x0b);
        groups.binary(nested);
        assertThat(groups.awaitClose().code()).isEqualTo(4000);
        RawStream empty = raw(PROTOBUF);
        empty.binary(new byte[0]);
        assertThat(empty.awaitClose().code()).isEqualTo(4000);
    }

    @Test
    void frame_ofTheOtherKind_closes() {
        RawStream json = raw(JSON);
        json.binary("{\"pingPong\":{}}".getBytes(StandardCharsets.UTF_8));
        assertThat(json.awaitClose().code()).isEqualTo(4000);
        RawStream protobuf = raw(PROTOBUF);
        protobuf.text("{\"pingPong\":{}}");
        assertThat(protobuf.awaitClose().code()).isEqualTo(4000);
    }

    @Test
    void message_longerThanMayBe_closesInOneFrameAndInFragments() {
        double hits = hits("message-bytes");
        String longest = echo(MESSAGE_BYTES);
        RawStream one = raw(JSON);
        one.text(longest);
        assertThat(one.read().text()).contains("\"requestId\":\"a\"");
        one.text(echo(MESSAGE_BYTES + 1));
        assertThat(one.awaitClose().code()).isEqualTo(4000);

        RawStream fragments = raw(PROTOBUF);
        byte[] part = new byte[1_000];
        fragments.frame(RawStream.BINARY, false, part);
        for (int i = 0; i < MESSAGE_BYTES / part.length; i++) {
            fragments.frame(RawStream.CONTINUATION, false, part);
        }
        assertThat(fragments.awaitClose().code()).isEqualTo(4000);

        RawStream text = raw(JSON);
        text.frame(RawStream.TEXT, false, "{".getBytes(StandardCharsets.UTF_8));
        byte[] spaces = " ".repeat(1_000).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < MESSAGE_BYTES / spaces.length + 1; i++) {
            text.frame(RawStream.CONTINUATION, false, spaces);
        }
        assertThat(text.awaitClose().code()).isEqualTo(4000);
        assertThat(hits("message-bytes")).isEqualTo(hits + 3);
    }

    /** A frame's head may announce any length; nothing is kept ready for it, and it never ends as a message. */
    @ParameterizedTest
    @ValueSource(longs = {10L * MESSAGE_BYTES, Integer.MAX_VALUE, 1L << 40, Long.MAX_VALUE, -1L})
    void frame_announcedHuge_endsTheStream(long length) {
        RawStream stream = raw(PROTOBUF);
        stream.announce(RawStream.BINARY, length);
        byte[] some = new byte[MESSAGE_BYTES];
        for (int i = 0; i < 10; i++) {
            stream.write(some);
        }
        assertThat(stream.awaitClose().code()).isIn(4000, 1009, 1002, RawStream.BROKEN);
    }

    @Test
    void frames_againstTheWebSocketProtocol_endTheStream() {
        RawStream orphan = raw(JSON);
        orphan.frame(RawStream.CONTINUATION, true, new byte[1]);
        assertThat(orphan.awaitClose().code()).isIn(1002, 4000);

        RawStream interrupted = raw(JSON);
        interrupted.frame(RawStream.TEXT, false, "{".getBytes(StandardCharsets.UTF_8));
        interrupted.frame(RawStream.TEXT, true, "{}".getBytes(StandardCharsets.UTF_8));
        assertThat(interrupted.awaitClose().code()).isIn(1002, 4000);

        RawStream reserved = raw(JSON);
        reserved.frame(5, true, new byte[1]);
        assertThat(reserved.awaitClose().code()).isIn(1002, 4000, 1003);

        RawStream longPing = raw(JSON);
        longPing.frame(RawStream.PING, true, new byte[126]);
        assertThat(longPing.awaitClose().code()).isIn(1002, 4000);

        RawStream noUtf8 = raw(JSON);
        noUtf8.frame(RawStream.TEXT, true, new byte[] {'{', (byte) 0xc3, (byte) 0x28, '}'});
        assertThat(noUtf8.awaitClose().code()).isIn(1007, 4000);
    }

    @Test
    void fragments_ofNoBytes_disturbNobody() {
        RawStream stream = raw(PROTOBUF);
        stream.frame(RawStream.BINARY, false, new byte[0]);
        for (int i = 0; i < 5_000; i++) {
            stream.frame(RawStream.CONTINUATION, false, new byte[0]);
        }
        assertOthersFine();
        byte[] message = ClientMessage.newBuilder()
                .setRequestId("a")
                .setUEchoRequest(UEchoRequest.getDefaultInstance())
                .build()
                .toByteArray();
        stream.frame(RawStream.CONTINUATION, true, message);
        // The platform may end a stream that sends so many; whether it does depends on how it reads them.
        assertThat(stream.read().opcode()).isIn(RawStream.BINARY, RawStream.CLOSE);
    }

    private static String echo(int bytes) {
        String before = "{\"requestId\":\"a\",\"uEchoRequest\":{\"message\":\"";
        String after = "\"}}";
        return before + "m".repeat(bytes - before.length() - after.length()) + after;
    }
}
