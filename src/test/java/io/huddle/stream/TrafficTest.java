package io.huddle.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.wire.ClientMessage;
import io.huddle.wire.PingPong;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.ObserverMethod;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What observers of messages are told. */
class TrafficTest {
    private final List<String> told = new ArrayList<>();
    private final ClientStream stream =
            new Peer(4, Peer.LIMITS, new Peer.Given(message -> new CompletableFuture<>())).stream;

    /** By hand what the container does. */
    @SuppressWarnings("UnnecessaryAssignment")
    private Traffic traffic(boolean isObserved) {
        Traffic traffic = new Traffic();
        traffic.beans = stub(BeanManager.class, isObserved ? Set.of(stub(ObserverMethod.class, null)) : Set.of());
        @SuppressWarnings("unchecked")
        Event<MessagePassed> event = (Event<MessagePassed>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Event.class}, (proxy, method, arguments) -> {
                    MessagePassed passed = (MessagePassed) arguments[0];
                    told.add((passed.inbound() ? "from " : "to ") + passed.type() + " " + passed.requestId());
                    return null;
                });
        traffic.passed = event;
        return traffic;
    }

    private static <T> T stub(Class<T> type, @Nullable Object answer) {
        return type.cast(Proxy.newProxyInstance(
                TrafficTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : answer));
    }

    private static void pass(Traffic traffic, ClientStream stream) {
        ClientMessage request = ClientMessage.newBuilder()
                .setRequestId("a")
                .setUEchoRequest(UEchoRequest.newBuilder().setMessage("secret"))
                .build();
        traffic.in(
                stream,
                request,
                ClientMessage.getDescriptor().findFieldByNumber(ClientMessage.U_ECHO_REQUEST_FIELD_NUMBER));
        traffic.out(
                stream,
                ServerMessage.newBuilder()
                        .setRequestId("a")
                        .setReply(true)
                        .setUEchoResponse(UEchoResponse.getDefaultInstance())
                        .build());
        traffic.out(
                stream,
                ServerMessage.newBuilder()
                        .setRequestId("b")
                        .setReply(true)
                        .setError("unknown-method")
                        .build());
        traffic.out(
                stream,
                ServerMessage.newBuilder()
                        .setPingPong(PingPong.getDefaultInstance())
                        .build());
    }

    @Test
    void messages_observed_areToldByTypeAndId() {
        pass(traffic(true), stream);

        assertThat(told).containsExactly("from uEchoRequest a", "to uEchoResponse a", "to error b", "to pingPong null");
    }

    @Test
    void messages_unobserved_costNoEvent() {
        pass(traffic(false), stream);

        assertThat(told).isEmpty();
    }
}
