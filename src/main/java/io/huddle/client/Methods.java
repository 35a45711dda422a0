package io.huddle.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The methods of the stream, read from the descriptors of the two envelopes: a method that is added to the wire is known
 * here. Immutable.
 */
final class Methods {
    static final Methods ALL = new Methods();

    private static final int FIRST = 100;
    private static final String REQUEST = "_request";

    private final Map<Class<?>, Method> byRequest = new HashMap<>();
    private final Map<Integer, Method> served = new HashMap<>();

    /**
     * One method.
     *
     * @param name for instance {@code dCall}
     * @param request its field in the envelope of the side that calls
     * @param response its field in the other envelope
     */
    record Method(
            String name,
            FieldDescriptor request,
            FieldDescriptor response,
            Class<?> requestType,
            Class<?> responseType) {
        int number() {
            return request.getNumber();
        }

        boolean isServed() {
            return request.getContainingType().equals(ServerMessage.getDescriptor());
        }
    }

    private Methods() {
        ClientMessage client = ClientMessage.getDefaultInstance();
        ServerMessage server = ServerMessage.getDefaultInstance();
        add(client, server);
        add(server, client);
        byRequest.values().stream().filter(Method::isServed).forEach(method -> served.put(method.number(), method));
    }

    private void add(Message caller, Message answerer) {
        for (FieldDescriptor request : caller.getDescriptorForType().getFields()) {
            if (request.getNumber() >= FIRST && request.getName().endsWith(REQUEST)) {
                FieldDescriptor response = answerer.getDescriptorForType().findFieldByNumber(request.getNumber());
                String json = request.getJsonName();
                Method method = new Method(
                        json.substring(0, json.length() - REQUEST.length() + 1),
                        request,
                        response,
                        caller.getField(request).getClass(),
                        answerer.getField(response).getClass());
                byRequest.put(method.requestType(), method);
            }
        }
    }

    /** @throws IllegalArgumentException if the two do not belong to one method of the client */
    Method called(Class<?> request, Class<?> response) {
        Method method = byRequest.get(request);
        if (method == null || method.isServed() || !method.responseType().equals(response)) {
            throw new IllegalArgumentException(request.getSimpleName() + " is not a request of the client that is "
                    + "answered with " + response.getSimpleName());
        }
        return method;
    }

    /** @throws IllegalArgumentException if it is no request of the server */
    Method served(Class<?> request) {
        Method method = byRequest.get(request);
        if (method == null || !method.isServed()) {
            throw new IllegalArgumentException(request.getSimpleName() + " is not a request of the server");
        }
        return method;
    }

    /** The method of a request that came in; null if it is none. */
    @Nullable
    Method served(int number) {
        return served.get(number);
    }
}
