package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.LinkFailed;
import io.huddle.link.Peer;
import io.huddle.membership.NodeInfo;
import io.huddle.mesh.MeshMetrics.Result;
import io.huddle.mesh.Routes.Route;
import io.huddle.mesh.wire.Target;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamError;
import io.huddle.web.Causes;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is asked of one client: here, or of the node that has it. Sent once at most, whatever is heard of it. Safe
 * for use by any thread; nothing blocks.
 *
 * <p>Asks nobody for a client of this node, only the owner along a known route, and otherwise the registry once. An owner
 * that says it is not sends the call to the registry once more, and no second time.
 */
abstract class Attempt<T> {
    /**
     * What is around it.
     *
     * @param here the public stream of a client on this node, if it is recorded under this node's number
     * @param isHere true if there is a public stream of the client on this node, recorded or not
     * @param registry the active record of a client
     * @param mayDeliver true while this node may speak and listen as one of the mesh
     * @param process this node's
     * @param node the member of a number
     * @param isFresh true if the node was heard on its link a moment ago
     */
    record Around(
            Function<String, Optional<ClientStream>> here,
            Predicate<String> isHere,
            Function<String, CompletionStage<Optional<ClientRecord>>> registry,
            BooleanSupplier mayDeliver,
            Supplier<String> process,
            LongFunction<CompletionStage<Optional<NodeInfo>>> node,
            BiPredicate<Long, String> isFresh,
            Asking call,
            Routes routes,
            Counting counts) {}

    /** Asks another node over its link. */
    @FunctionalInterface
    interface Asking {
        CompletionStage<ByteString> ask(Peer node, String operation, ByteString request, Duration deadline);
    }

    /** Counts how it ended. */
    @FunctionalInterface
    interface Counting {
        void invocation(MeshMetrics.Route route, Result result, long nanos);
    }

    private final Around around;
    private final String client;
    private final long begun = System.nanoTime();
    private final long until;
    private final CompletableFuture<Void> handed = new CompletableFuture<>();
    private MeshMetrics.Route route = MeshMetrics.Route.NONE;

    Attempt(Around around, String client, Duration deadline) {
        this.around = around;
        this.client = client;
        this.until = begun + deadline.toNanos();
    }

    abstract CompletionStage<T> here(ClientStream stream);

    abstract String operation();

    abstract ByteString request(Target target);

    abstract T answer(ByteString answer) throws InvalidProtocolBufferException;

    Duration left() {
        return Duration.ofNanos(Math.max(1, until - System.nanoTime()));
    }

    /**
     * Done when what is asked of the same client next comes after this: it waits for its turn on the socket of a client of this
     * node or on a link that is open; or it is over, as it is within its deadline.
     */
    CompletionStage<Void> handed() {
        return handed;
    }

    CompletionStage<T> run() {
        CompletableFuture<T> result;
        try {
            result = begin().toCompletableFuture();
        } catch (RuntimeException refused) {
            result = CompletableFuture.failedFuture(refused);
        }
        return result.whenComplete((answer, failed) -> {
            around.counts().invocation(route, failed == null ? Result.OK : result(failed), System.nanoTime() - begun);
            handed.complete(null);
        });
    }

    private CompletionStage<T> begin() {
        if (!RegistryBackend.isClientId(client)) {
            throw Clients.notFound();
        }
        if (!around.mayDeliver().getAsBoolean()) {
            throw Clients.unavailable("this node cannot prove that it belongs to the mesh");
        }
        Optional<ClientStream> stream = around.here().apply(client);
        if (stream.isPresent()) {
            route = MeshMetrics.Route.LOCAL;
            return handedHere(stream.get());
        }
        route = MeshMetrics.Route.REMOTE;
        Route known = around.routes().find(client);
        if (known != null && around.isFresh().test(known.node(), known.process())) {
            // Its correction is the one of this call.
            return along(known, () -> lookUp(false));
        }
        return lookUp(true);
    }

    private CompletionStage<T> handedHere(ClientStream stream) {
        CompletionStage<T> asked = here(stream);
        handed.complete(null);
        return asked;
    }

    /** @param again whether the owner that is found may send the call here once more */
    private CompletionStage<T> lookUp(boolean again) {
        return timely(Clients.registered(around.registry().apply(client))).thenCompose(found -> {
            ClientRecord record = found.orElseThrow(() -> {
                route = MeshMetrics.Route.NONE;
                return absent();
            });
            if (record.process().equals(around.process().get())) {
                return around.here().apply(client).map(this::handedHere).orElseThrow(this::gone);
            }
            Route now = new Route(record.node(), record.process(), record.connectionId());
            around.routes().put(client, now);
            return along(now, again ? () -> lookUp(false) : null);
        });
    }

    /** No record proves an absence only to a node that may deliver, and of a client that is not right here. */
    private Refused absent() {
        if (around.isHere().test(client)) {
            return Clients.unavailable("the client's connection is being recorded anew");
        }
        return around.mayDeliver().getAsBoolean()
                ? Clients.notFound()
                : Clients.unavailable("this node cannot prove that it belongs to the mesh");
    }

    private Refused gone() {
        if (around.isHere().test(client)) {
            return Clients.unavailable("the client's connection is being recorded anew");
        }
        return new Refused(
                Refusal.CLIENT_DISCONNECTED, "the client's connection has just ended; the call was not sent");
    }

    private CompletionStage<T> along(Route way, @Nullable Supplier<CompletionStage<T>> correction) {
        return timely(around.node().apply(way.node())).thenCompose(node -> {
            NodeInfo owner =
                    node.filter(info -> info.process().equals(way.process())).orElse(null);
            if (owner == null) {
                around.routes().forget(client, way);
                if (correction != null) {
                    return correction.get();
                }
                throw Clients.unavailable("the client's node does not answer");
            }
            Target target = Target.newBuilder()
                    .setClient(client)
                    .setConnection(way.connectionId())
                    .setNode(way.node())
                    .setProcess(way.process())
                    .build();
            // What waits for a link to be opened may be overtaken by what comes when it is there.
            boolean isInOrder = around.isFresh().test(way.node(), way.process());
            CompletionStage<ByteString> asked =
                    around.call().ask(PeerCalls.peer(owner), operation(), request(target), left());
            if (isInOrder) {
                handed.complete(null);
            }
            return asked.handle((answer, failed) -> failed == null ? answered(answer) : failed(way, correction, failed))
                    .thenCompose(Function.identity());
        });
    }

    private CompletionStage<T> answered(ByteString bytes) {
        try {
            T answer = answer(bytes);
            if (!around.mayDeliver().getAsBoolean()) {
                throw new Refused(Refusal.DELIVERY_INDETERMINATE, "this node lost its lease meanwhile");
            }
            return CompletableFuture.completedFuture(answer);
        } catch (InvalidProtocolBufferException unreadable) {
            throw new Refused(Refusal.DELIVERY_INDETERMINATE, "the answer of the client's node cannot be read");
        }
    }

    private CompletionStage<T> failed(Route way, @Nullable Supplier<CompletionStage<T>> correction, Throwable thrown) {
        if (!(Causes.of(thrown) instanceof LinkFailed failure)) {
            throw Causes.unchecked(thrown);
        }
        String code = failure.code();
        boolean isElsewhere = PeerCalls.NOT_MINE.equals(code) || PeerCalls.FENCED.equals(code);
        if (isElsewhere) {
            around.routes().forget(client, way);
            if (correction != null) {
                return correction.get();
            }
            throw PeerCalls.FENCED.equals(code)
                    ? Clients.unavailable("the client's node cannot prove its lease")
                    : gone();
        }
        throw refusal(failure);
    }

    private RuntimeException refusal(LinkFailed failure) {
        return switch (failure.reason()) {
            case NOT_SENT -> Clients.unavailable("the client's node cannot be reached");
            case NOT_SENT_IN_TIME ->
                new Refused(Refusal.DEADLINE_EXCEEDED, "the client's node was not reached in time");
            case BACKPRESSURE -> new Refused(Refusal.BACKPRESSURE, "the call was not sent; try again later");
            case INDETERMINATE -> new Refused(Refusal.DELIVERY_INDETERMINATE, "the call was sent and not answered");
            case REMOTE -> remote(failure);
        };
    }

    private RuntimeException remote(LinkFailed failure) {
        Refusal refusal = PeerCalls.refusalOf(failure.code());
        if (refusal == null) {
            // The peer knows the operation less well than this node, or failed in the middle of it.
            return LinkFailed.UNKNOWN_OPERATION.equals(failure.code())
                    ? Clients.unavailable("the client's node runs a release that cannot do this")
                    : new Refused(Refusal.DELIVERY_INDETERMINATE, "the client's node failed");
        }
        return refusal == Refusal.CLIENT_ERROR
                ? new StreamError(Refusal.CLIENT_ERROR.slug(), failure.isUserError())
                : new Refused(refusal, refusal.title());
    }

    private <A> CompletionStage<A> timely(CompletionStage<A> stage) {
        return stage.toCompletableFuture()
                .copy()
                .orTimeout(left().toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failed -> {
                    Throwable cause = Causes.of(failed);
                    if (cause instanceof TimeoutException) {
                        throw new Refused(Refusal.DEADLINE_EXCEEDED, "the client was not found in time");
                    }
                    if (cause instanceof RegistryUnavailable) {
                        throw Clients.unavailable("the registry of clients does not answer");
                    }
                    throw Causes.unchecked(cause);
                });
    }

    private static Result result(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof StreamError) {
            return Result.CLIENT_ERROR;
        }
        if (!(cause instanceof Refused refused)) {
            return Result.FAILED;
        }
        return switch (refused.refusal()) {
            case CLIENT_NOT_FOUND -> Result.NOT_FOUND;
            case CLIENT_DISCONNECTED -> Result.DISCONNECTED;
            case OWNER_UNAVAILABLE -> Result.OWNER_UNAVAILABLE;
            case BACKPRESSURE -> Result.BACKPRESSURE;
            case DEADLINE_EXCEEDED -> Result.DEADLINE_EXCEEDED;
            case DELIVERY_INDETERMINATE -> Result.INDETERMINATE;
            default -> Result.FAILED;
        };
    }
}
