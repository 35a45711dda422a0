package io.huddle.wire;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.Set;
import java.util.TreeSet;

/** The two messages of the stream, as the tests of its documents look at them. */
enum Codec {
    CLIENT(ClientMessage.getDefaultInstance()),
    SERVER(ServerMessage.getDefaultInstance());

    private final Message blank;

    Codec(Message blank) {
        this.blank = blank;
    }

    /** Reads JSON; strict, so that an example with a wrong name is found. */
    Message read(String json) {
        Message.Builder message = blank.newBuilderForType();
        try {
            JsonFormat.parser().merge(json, message);
        } catch (InvalidProtocolBufferException wrong) {
            throw new AssertionError("no " + this + " message: " + json, wrong);
        }
        return message.build();
    }

    Descriptor type() {
        return blank.getDescriptorForType();
    }

    /** The names of what a message may carry, for instance {@code uRenewRequest}. */
    Set<String> bodies() {
        Set<String> names = new TreeSet<>();
        for (FieldDescriptor field : type().getOneofs().get(0).getFields()) {
            names.add(field.getJsonName());
        }
        return names;
    }

    /** What this message carries; {@code error} where it carries nothing but an error. */
    static String body(Message message) {
        FieldDescriptor field = message.getOneofFieldDescriptor(
                message.getDescriptorForType().getOneofs().get(0));
        return field == null ? "error" : field.getJsonName();
    }
}
