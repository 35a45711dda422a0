package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.LinkFailed;
import io.huddle.link.LinkHandler;
import io.huddle.link.LinkReceiver;
import io.huddle.link.LinkSender;
import io.huddle.link.Links;
import io.huddle.link.Peer;
import io.huddle.membership.Membership;
import io.huddle.mesh.wire.BytesAnswer;
import io.huddle.mesh.wire.BytesRequest;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ByteReceiver;
import io.huddle.stream.ByteSource;
import io.huddle.stream.StreamError;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clients' byte streams on their way from node to node. Safe for use by any thread; nothing blocks.
 *
 * <p>The node that has the byte stream makes a handle, which only the node that it is made for can use, and once. That one
 * asks when it can take the bytes, and only then they come, as far as its reader lets them. So no byte is on its way that
 * nobody waits for, whichever of two nodes or links is slower. Whatever ends a stream at one end ends it at the other.
 */
@ApplicationScoped
public class Passages {
    /** How long a byte stream of an answer waits to be taken, and how long its taker waits for it. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String OPERATION = "bytes";

    /** Before the node joins: what it serves is known before anybody can ask. */
    private static final int FIRST = Interceptor.Priority.LIBRARY_BEFORE;

    private final Places places = new Places(Setting.MESH_BYTE_STREAMS.value());
    private final Map<String, Offer> offers = new ConcurrentHashMap<>();
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();

    @Inject
    private Links links;

    @Inject
    private Membership membership;

    @Inject
    private MeshMetrics metrics;

    private record Node(long number, String process) {}

    private record Offer(Node to, Announced bytes, Runnable place) {}

    private record Expected(Node from, FromLink end, CompletableFuture<Boolean> timer) {}

    void start(@Observes @Priority(FIRST) DatabaseReady ready) {
        links.serve(OPERATION, this::give);
        links.serveBytes(OPERATION, this::take);
    }

    /**
     * Offers a byte stream to another node.
     *
     * @param who whose share of the places it takes; empty for nobody's
     * @return the handle by which that node gets it
     * @throws Refused {@code backpressure}
     */
    String offer(Announced bytes, String who, long number, String process) {
        Runnable place = place(who);
        String handle = Ids.make('b');
        Offer offer = new Offer(new Node(number, process), bytes, place);
        offers.put(handle, offer);
        bytes.whenLost(() -> withdraw(handle));
        return handle;
    }

    /** Nobody gets the byte stream by this handle any more. What flows by it goes on. */
    void withdraw(String handle) {
        Offer offer = offers.remove(handle);
        if (offer != null) {
            offer.place().run();
        }
    }

    /**
     * The byte stream that another node offers by this handle. It refuses to flow with {@code backpressure}, as
     * {@link Refused}.
     *
     * @param who whose share of the places it takes; empty for nobody's
     */
    ByteSource source(String handle, String who, long number, String process) {
        return receiver -> fetch(handle, who, new Node(number, process), receiver);
    }

    private ByteSource.BreakOff fetch(String handle, String who, Node from, ByteReceiver receiver) {
        Runnable place = place(who);
        FromLink end = new FromLink(receiver, isWhole -> {
            place.run();
            metrics.byteStream(isWhole ? MeshMetrics.Bytes.OK : MeshMetrics.Bytes.BROKEN);
        });
        CompletableFuture<Boolean> timer = new CompletableFuture<>();
        Expected one = new Expected(from, end, timer);
        expected.put(handle, one);
        var unusedTimer = timer.completeOnTimeout(Boolean.TRUE, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(late -> missed(handle, one, Refusal.OWNER_UNAVAILABLE.slug()));
        var unusedAnswer = ask(handle, from).whenComplete((answer, failed) -> {
            if (failed != null) {
                missed(handle, one, reason(failed));
            }
        });
        return end::stop;
    }

    private void missed(String handle, Expected one, @Nullable String why) {
        if (expected.remove(handle, one)) {
            one.timer().cancel(false);
            one.end().end(why);
        }
    }

    private CompletionStage<ByteString> ask(String handle, Node from) {
        return peer(from).thenCompose(peer -> links.call(peer, OPERATION, named(handle), PATIENCE));
    }

    /** Another node can take the byte stream that it was offered. */
    private CompletionStage<ByteString> give(LinkHandler.Call call) {
        Node asking = new Node(call.number(), call.process());
        String handle = handle(call);
        Offer offer = offers.get(handle);
        if (offer == null || !offer.to().equals(asking) || !offers.remove(handle, offer)) {
            throw none();
        }
        return peer(asking).handle((peer, failed) -> {
            if (failed != null) {
                offer.place().run();
                offer.bytes().breakOff(Refusal.OWNER_UNAVAILABLE.slug());
                throw none();
            }
            send(offer, links.open(peer, OPERATION, named(handle)));
            return BytesAnswer.getDefaultInstance().toByteString();
        });
    }

    private void send(Offer offer, LinkSender sender) {
        ByteSource.BreakOff source;
        try {
            source = offer.bytes().flowInto(new ToLink(sender));
        } catch (StreamError over) {
            sender.destroy(over.getMessage());
            offer.place().run();
            return;
        }
        var unused = sender.ended().whenComplete((nothing, failed) -> {
            offer.place().run();
            metrics.byteStream(failed == null ? MeshMetrics.Bytes.OK : MeshMetrics.Bytes.BROKEN);
            if (failed != null) {
                source.breakOff(reason(failed));
            }
        });
    }

    /** The bytes that this node has asked for. */
    private LinkReceiver take(LinkHandler.Call call) {
        Node from = new Node(call.number(), call.process());
        String handle = handle(call);
        Expected one = expected.get(handle);
        if (one == null || !one.from().equals(from) || !expected.remove(handle, one)) {
            throw none();
        }
        one.timer().cancel(false);
        return one.end();
    }

    private CompletionStage<Peer> peer(Node node) {
        return membership
                .route(node.number())
                .thenApply(found -> found.filter(info -> info.process().equals(node.process()))
                        .map(PeerCalls::peer)
                        .orElseThrow(Passages::none));
    }

    private Runnable place(String who) {
        Runnable place = places.take(who);
        if (place == null) {
            metrics.byteStream(MeshMetrics.Bytes.REFUSED);
            throw new Refused(
                    Refusal.BACKPRESSURE,
                    "as many byte streams as may be are on their way between the nodes; try later");
        }
        return place;
    }

    int open() {
        return places.taken();
    }

    private static ByteString named(String handle) {
        return BytesRequest.newBuilder().setBytes(handle).build().toByteString();
    }

    private static String handle(LinkHandler.Call call) {
        try {
            return BytesRequest.parseFrom(call.request()).getBytes();
        } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException("a request of another node that cannot be read", unreadable);
        }
    }

    private static LinkFailed none() {
        return new LinkFailed(LinkFailed.Reason.REMOTE, Refusal.OWNER_UNAVAILABLE.slug(), false, "no such byte stream");
    }

    /** What a client is told of a byte stream that ended by this failure; null where the other side gave no reason. */
    static @Nullable String reason(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof Refused refused) {
            return refused.refusal().slug();
        }
        if (cause instanceof StreamError error) {
            return error.getMessage();
        }
        if (!(cause instanceof LinkFailed link)) {
            return Refusal.DELIVERY_INDETERMINATE.slug();
        }
        return switch (link.reason()) {
            case NOT_SENT -> Refusal.OWNER_UNAVAILABLE.slug();
            case NOT_SENT_IN_TIME -> Refusal.DEADLINE_EXCEEDED.slug();
            case BACKPRESSURE -> Refusal.BACKPRESSURE.slug();
            case INDETERMINATE -> Refusal.DELIVERY_INDETERMINATE.slug();
            case REMOTE ->
                LinkFailed.DESTROYED.equals(link.code()) ? link.getMessage() : Refusal.OWNER_UNAVAILABLE.slug();
        };
    }
}
