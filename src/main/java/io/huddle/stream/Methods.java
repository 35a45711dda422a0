package io.huddle.stream;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The methods of the wire, read from its descriptors: the fields from 100 on, one number for a request and its response.
 * Pure.
 */
final class Methods {
    /** For metrics: a method that this release does not have. */
    static final String UNKNOWN = "unknown";

    private static final int FIRST = 100;
    private static final String REQUEST = "Request";
    private static final String RESPONSE = "Response";
    private static final Map<Descriptor, FieldDescriptor> OF_SERVER = byType(ServerMessage.getDescriptor());
    private static final Map<FieldDescriptor, String> PREFIXES = prefixes(ClientMessage.getDescriptor());

    private Methods() {}

    /** The field of a client's message that holds the request of this prefix, or null if there is no such method. */
    static @Nullable FieldDescriptor clientRequest(String prefix) {
        return named(ClientMessage.getDescriptor(), prefix + REQUEST);
    }

    /** The field that answers the method of this number, in the client's or the server's message. */
    static FieldDescriptor response(Descriptor message, int number) {
        FieldDescriptor field = message.findFieldByNumber(number);
        if (field == null || !field.getJsonName().endsWith(RESPONSE)) {
            throw new IllegalArgumentException(message.getName() + " has no response of number " + number);
        }
        return field;
    }

    /** The field of a server's message that holds this request. */
    static FieldDescriptor serverRequest(Message request) {
        FieldDescriptor field = OF_SERVER.get(request.getDescriptorForType());
        if (field == null || !field.getJsonName().endsWith(REQUEST)) {
            throw new IllegalArgumentException(
                    request.getDescriptorForType().getName() + " is no request of the server");
        }
        return field;
    }

    /** True if this field of a client's message is a request. */
    static boolean isRequest(FieldDescriptor field) {
        return field.getNumber() >= FIRST && field.getJsonName().endsWith(REQUEST);
    }

    /** The prefix of a request of a client, for instance {@code uRenew}; {@code unknown} for anything else. */
    static String prefix(@Nullable FieldDescriptor request) {
        return request == null ? UNKNOWN : PREFIXES.getOrDefault(request, UNKNOWN);
    }

    private static @Nullable FieldDescriptor named(Descriptor message, String jsonName) {
        for (FieldDescriptor field : message.getFields()) {
            if (field.getJsonName().equals(jsonName)) {
                return field;
            }
        }
        return null;
    }

    private static Map<FieldDescriptor, String> prefixes(Descriptor message) {
        Map<FieldDescriptor, String> prefixes = new HashMap<>();
        for (FieldDescriptor field : message.getFields()) {
            if (isRequest(field)) {
                String name = field.getJsonName();
                prefixes.put(field, name.substring(0, name.length() - REQUEST.length()));
            }
        }
        return Map.copyOf(prefixes);
    }

    private static Map<Descriptor, FieldDescriptor> byType(Descriptor message) {
        Map<Descriptor, FieldDescriptor> fields = new HashMap<>();
        for (FieldDescriptor field : message.getFields()) {
            if (field.getNumber() >= FIRST) {
                fields.put(field.getMessageType(), field);
            }
        }
        return Map.copyOf(fields);
    }
}
