package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Awaiting;
import io.huddle.wire.ServerMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** What the tests against a {@link Peer} share: the peer, a client, and what the client told. */
abstract class PeerTest {
    static final ClientKey KEY = new ClientKey("c-test", "0123456789abcdef0123456789abcdef");

    final Peer peer = Peer.listening();
    final List<Disconnected> losses = new CopyOnWriteArrayList<>();

    private final List<HuddleClient> clients = new CopyOnWriteArrayList<>();

    @AfterEach
    void end() {
        clients.forEach(HuddleClient::close);
        peer.close();
    }

    ClientOptions options() {
        return ClientOptions.defaults().timing(Timings.QUICK).onDisconnected(losses::add);
    }

    HuddleClient client(ClientOptions options) {
        return ending(HuddleClient.withKey(peer.uri(), KEY, options));
    }

    HuddleClient ending(HuddleClient client) {
        clients.add(client);
        return client;
    }

    /** Connects this client and answers the peer's end of the connection. */
    Peer.Stream connect(HuddleClient client) {
        CompletableFuture<Boolean> connected = client.connect();
        Peer.Stream stream = peer.activated();
        assertThat(get(connected)).isTrue();
        return stream;
    }

    Disconnected loss() {
        Awaiting.until("the loss of the connection", () -> !losses.isEmpty());
        return losses.get(0);
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(Awaiting.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    static Reason failure(CompletableFuture<?> future) {
        Throwable failed = catchThrowable(() -> get(future));
        assertThat(failed).hasCauseInstanceOf(HuddleFailure.class);
        return failed.getCause() instanceof HuddleFailure failure ? failure.reason() : Reason.REFUSED;
    }

    static ServerMessage.Builder reply(String requestId) {
        return ServerMessage.newBuilder().setRequestId(requestId).setReply(true);
    }

    static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }
}
