package io.huddle.link;

import io.huddle.link.wire.Hello;
import io.huddle.link.wire.Welcome;
import jakarta.websocket.ClientEndpointConfig;
import jakarta.websocket.ContainerProvider;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.HandshakeResponse;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens links to peers. Safe for use by any thread.
 *
 * <p>A peer is believed only after its answer to the upgrade has proven number, process and key; no frame is written or
 * read before that.
 */
final class Dialer {
    static final String HEADER = "Huddle-Mesh";

    private final Proofs proofs;
    private final Supplier<Optional<Self>> self;
    private final Pins pins;
    private final LongSupplier wallClock;
    private final Supplier<byte[]> random;
    private final Executor executor;
    private final int frameBytes;
    private final boolean allowPlain;
    private final Making making;

    /** Makes a link between these two. */
    @FunctionalInterface
    interface Making {
        Link make(Link.Ends ends, Writer.Wire wire, Link.Closer closer);
    }

    /** Takes a link that is ready for use. */
    private final Consumer<Link> admission;

    Dialer(
            Proofs proofs,
            Supplier<Optional<Self>> self,
            Pins pins,
            LongSupplier wallClock,
            Supplier<byte[]> random,
            Executor executor,
            int frameBytes,
            boolean allowPlain,
            Making making,
            Consumer<Link> admission) {
        this.proofs = proofs;
        this.self = self;
        this.pins = pins;
        this.wallClock = wallClock;
        this.random = random;
        this.executor = executor;
        this.frameBytes = frameBytes;
        this.allowPlain = allowPlain;
        this.making = making;
        this.admission = admission;
    }

    /** The link, admitted; exceptionally if there is none. */
    CompletionStage<Link> dial(Peer peer) {
        CompletableFuture<Link> opened = new CompletableFuture<>();
        Optional<Self> me = self.get();
        if (me.isEmpty() || !MeshAddress.isUsable(peer.url(), allowPlain)) {
            opened.completeExceptionally(new IOException("no link can be opened to the peer"));
            return opened;
        }
        try {
            executor.execute(() -> connect(peer, me.get(), opened));
        } catch (RejectedExecutionException | IllegalStateException stopping) {
            opened.completeExceptionally(stopping);
        }
        return opened;
    }

    private void connect(Peer peer, Self me, CompletableFuture<Link> opened) {
        if (pins.hold(peer.number(), peer.process(), peer.key()) != Pins.Hold.HELD) {
            opened.completeExceptionally(new IOException("the peer is not the one of this number"));
            return;
        }
        try {
            Attempt attempt = new Attempt(peer, me, proofs.hello(me, peer, wallClock.getAsLong(), random.get()));
            ClientEndpointConfig config =
                    ClientEndpointConfig.Builder.create().configurator(attempt).build();
            LinkSocket socket = new LinkSocket(
                    frameBytes, executor, (wire, closer, ready) -> attempt.open(wire, closer, ready, opened));
            ContainerProvider.getWebSocketContainer().connectToServer(socket, config, URI.create(peer.url()));
            // With a proof that was wrong it has failed already.
            opened.completeExceptionally(new IOException("the peer opened no link"));
        } catch (DeploymentException | IOException | RuntimeException failed) {
            opened.completeExceptionally(failed);
        }
        if (opened.isCompletedExceptionally()) {
            pins.release(peer.number());
        }
    }

    /** One upgrade: what was asked, and what came as its answer. */
    private final class Attempt extends ClientEndpointConfig.Configurator {
        private final Peer peer;
        private final Self me;
        private final Hello hello;
        private volatile @Nullable String answer;

        Attempt(Peer peer, Self me, Hello hello) {
            this.peer = peer;
            this.me = me;
            this.hello = hello;
        }

        @Override
        public void beforeRequest(Map<String, List<String>> headers) {
            headers.put(HEADER, List.of(Proofs.encode(hello)));
        }

        @Override
        public void afterResponse(HandshakeResponse response) {
            response.getHeaders().forEach((name, values) -> {
                if (name.toLowerCase(Locale.ROOT).equals(HEADER.toLowerCase(Locale.ROOT)) && values.size() == 1) {
                    answer = values.get(0);
                }
            });
        }

        @Nullable
        Link open(Writer.Wire wire, Link.Closer closer, Consumer<Link> ready, CompletableFuture<Link> opened) {
            String header = answer;
            Optional<Welcome> welcome = header == null ? Optional.empty() : Proofs.decodeWelcome(header);
            if (welcome.isEmpty() || !proofs.isFrom(peer, welcome.get(), hello, wallClock.getAsLong())) {
                opened.completeExceptionally(new IOException("the peer has not proven itself"));
                return null;
            }
            Link link = making.make(
                    new Link.Ends(
                            me.number(),
                            peer.number(),
                            peer.process(),
                            me.process(),
                            welcome.get().getVersion()),
                    wire,
                    closer);
            ready.accept(link);
            admission.accept(link);
            opened.complete(link);
            return link;
        }
    }
}
