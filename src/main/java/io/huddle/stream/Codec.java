package io.huddle.stream;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.util.JsonFormat;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The two encodings of the messages, chosen by the WebSocket subprotocol. Pure, safe for use by any thread.
 *
 * <p>Fields that this release does not know are ignored in both, so that a newer client can talk to an older node.
 */
enum Codec {
    PROTOBUF("huddle.protobuf.v1") {
        @Override
        Frame encode(ServerMessage message) {
            return Frame.of(ByteBuffer.wrap(message.toByteArray()));
        }
    },
    JSON("huddle.json.v1") {
        @Override
        Frame encode(ServerMessage message) {
            try {
                return Frame.of(PRINTER.print(message));
            } catch (InvalidProtocolBufferException impossible) {
                throw new IllegalStateException("a message of the server has no JSON form", impossible);
            }
        }
    };

    /** Prints defaults too, so that an empty roster has its empty list. */
    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer().omittingInsignificantWhitespace().alwaysPrintFieldsWithNoPresence();

    private static final JsonFormat.Parser PARSER = JsonFormat.parser().ignoringUnknownFields();

    /** Unknown fields are skipped and not kept: each would take some hundred bytes of heap for five on the wire. */
    private static final Parser<ClientMessage> BINARY_PARSER = DiscardUnknownFieldsParser.wrap(ClientMessage.parser());

    private final String subprotocol;

    Codec(String subprotocol) {
        this.subprotocol = subprotocol;
    }

    String subprotocol() {
        return subprotocol;
    }

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    abstract Frame encode(ServerMessage message);

    static ClientMessage decode(ByteBuffer binary) throws InvalidProtocolBufferException {
        return BINARY_PARSER.parseFrom(CodedInputStream.newInstance(binary));
    }

    static ClientMessage decode(String text) throws InvalidProtocolBufferException {
        if (!JsonBounds.holds(text)) {
            throw new InvalidProtocolBufferException("no JSON object, or one of too many values");
        }
        ClientMessage.Builder message = ClientMessage.newBuilder();
        PARSER.merge(text, message);
        return message.build();
    }

    /** The codec of a negotiated subprotocol; without one it is protobuf. */
    static Codec of(@Nullable String subprotocol) {
        return JSON.subprotocol.equals(subprotocol) ? JSON : PROTOBUF;
    }
}
