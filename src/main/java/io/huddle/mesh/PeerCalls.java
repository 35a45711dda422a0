package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.huddle.link.LinkFailed;
import io.huddle.link.LinkHandler;
import io.huddle.link.Links;
import io.huddle.link.Peer;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.mesh.wire.CallAnswer;
import io.huddle.mesh.wire.CallRequest;
import io.huddle.mesh.wire.DisconnectAnswer;
import io.huddle.mesh.wire.DisconnectRequest;
import io.huddle.mesh.wire.FenceAnswer;
import io.huddle.mesh.wire.FenceRequest;
import io.huddle.mesh.wire.MetadataAnswer;
import io.huddle.mesh.wire.MetadataRequest;
import io.huddle.mesh.wire.Standing;
import io.huddle.mesh.wire.Target;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ByteSource;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.StreamError;
import io.huddle.stream.Streams;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.ServerMessage;
import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers what other nodes ask about one exact connection: to end it, whether it lives, to call it. Those who ask are
 * {@link PeerFences} and {@link Clients}. Safe for use by any thread; nothing blocks.
 */
@ApplicationScoped
public class PeerCalls {
    /** Codes of answers, besides those of {@link Refusal}. */
    static final String NOT_MINE = "not-mine";

    /** The owner cannot prove its lease: nothing was done. */
    static final String FENCED = "fenced";

    /** The operation of a call with a byte stream, which older releases do not know. */
    static final String CALL_WITH_BYTES = "call-bytes";

    /** Before the node joins: what it serves is known before anybody can ask. */
    private static final int FIRST = Interceptor.Priority.LIBRARY_BEFORE;

    @Inject
    private Links links;

    @Inject
    private Streams streams;

    @Inject
    private Membership membership;

    @Inject
    private LocalCalls local;

    @Inject
    private Passages passages;

    @Resource
    private ManagedExecutorService executor;

    void start(@Observes @Priority(FIRST) DatabaseReady ready) {
        links.serve("fence", call -> fence(parse(FenceRequest.parser(), call).getTarget(), call.residual()));
        links.serve(
                "probe",
                call -> answered(FenceAnswer.newBuilder()
                        .setStanding(standing(parse(FenceRequest.parser(), call).getTarget()))
                        .build()));
        links.serve("call", this::call);
        links.serve(CALL_WITH_BYTES, this::call);
        links.serve("metadata", call -> metadata(parse(MetadataRequest.parser(), call)));
        links.serve("disconnect", call -> disconnect(parse(DisconnectRequest.parser(), call)));
        if (links.isEnabled()) {
            membership.publishLink(links.url(), links.key());
        }
    }

    /** True for a connection of this process, under whichever number it was recorded. */
    boolean isMine(Target target) {
        return target.getProcess().equals(membership.process());
    }

    Standing standing(Target target) {
        if (!isMine(target)) {
            return Standing.STANDING_UNSPECIFIED;
        }
        boolean isAlive = target.getConnection().isEmpty()
                ? streams.isHere(target.getClient(), "")
                : streams.find(target.getClient(), target.getConnection()).isPresent();
        return isAlive ? Standing.LIVE : Standing.GONE;
    }

    private CompletionStage<ByteString> fence(Target target, Duration residual) {
        // Its end tells observers, who may take their time: not on a thread of the link.
        return CompletableFuture.supplyAsync(() -> fenceHere(target, residual), executor)
                .thenCompose(standing -> standing)
                .thenApply(standing ->
                        FenceAnswer.newBuilder().setStanding(standing).build().toByteString());
    }

    /** Ends the connection if it is of this process. Done when no frame of it is being written any more. */
    CompletionStage<Standing> fenceHere(Target target, Duration deadline) {
        if (!isMine(target)) {
            return CompletableFuture.completedFuture(Standing.STANDING_UNSPECIFIED);
        }
        Optional<CompletionStage<Void>> quiet = streams.fence(target.getClient(), target.getConnection());
        if (quiet.isEmpty()) {
            return CompletableFuture.completedFuture(Standing.GONE);
        }
        return quiet.get()
                .toCompletableFuture()
                .copy()
                .orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(nothing -> Standing.FENCED);
    }

    private CompletionStage<ByteString> call(LinkHandler.Call call) {
        CallRequest request = parse(CallRequest.parser(), call);
        ClientStream stream = owned(request.getTarget());
        if (!local.isReachable(stream, new Reach(request.getEverybody(), Set.copyOf(request.getTeamsList())))) {
            throw remote(Refusal.CLIENT_NOT_FOUND.slug(), true);
        }
        if (request.getGeneration() != 0 && stream.order() != request.getGeneration()) {
            throw remote(NOT_MINE, false);
        }
        ServerMessage message;
        try {
            message = ServerMessage.parseFrom(request.getMessage());
        } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException(unreadable);
        }
        ByteSource bytes = request.getBytes().isEmpty()
                ? null
                : passages.source(request.getBytes(), "", call.number(), call.process());
        return local.exchange(stream, message, bytes, request.getTakesBytes(), call.residual())
                .handle((reply, failed) -> {
                    if (failed != null) {
                        throw translated(failed);
                    }
                    return answer(reply, call).toByteString();
                });
    }

    private CallAnswer answer(LocalCalls.Reply reply, LinkHandler.Call call) {
        CallAnswer.Builder answer =
                CallAnswer.newBuilder().setMessage(reply.message().toByteString());
        Announced bytes = reply.bytes();
        if (bytes != null) {
            answer.setBytes(offered(bytes, call));
        }
        return answer.build();
    }

    /** The call was answered: a byte stream for which there is no place is one that breaks, by a handle of nothing. */
    private String offered(Announced bytes, LinkHandler.Call call) {
        try {
            return passages.offer(bytes, "", call.number(), call.process());
        } catch (Refused full) {
            bytes.breakOff(full.refusal().slug());
            return Ids.make('b');
        }
    }

    private CompletionStage<ByteString> metadata(MetadataRequest request) {
        ClientStream stream = owned(request.getTarget());
        if (!local.isReachable(stream, new Reach(request.getEverybody(), Set.copyOf(request.getTeamsList())))) {
            throw remote(Refusal.CLIENT_NOT_FOUND.slug(), true);
        }
        return local.patch(stream, request.getPatch()).handle((metadata, failed) -> {
            if (failed != null) {
                throw translated(failed);
            }
            return MetadataAnswer.newBuilder().setMetadata(metadata).build().toByteString();
        });
    }

    private CompletionStage<ByteString> disconnect(DisconnectRequest request) {
        ClientStream stream = owned(request.getTarget());
        return CompletableFuture.supplyAsync(
                () -> {
                    stream.close(CloseCause.OPERATOR, "disconnected by an operator");
                    return DisconnectAnswer.getDefaultInstance().toByteString();
                },
                executor);
    }

    /** The stream that is meant, if this node may answer as its owner. */
    private ClientStream owned(Target target) {
        if (!membership.mayDeliver()) {
            throw remote(FENCED, false);
        }
        ClientStream stream = streams.find(target.getClient())
                .filter(one -> one.connectionId().equals(target.getConnection()))
                .orElseThrow(() -> remote(NOT_MINE, false));
        if (!local.isOwned(stream)) {
            throw remote(FENCED, false);
        }
        return stream;
    }

    private static LinkFailed remote(String code, boolean userError) {
        return new LinkFailed(LinkFailed.Reason.REMOTE, code, userError, code);
    }

    private static RuntimeException translated(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof Refused refused) {
            return remote(refused.refusal().slug(), refused.refusal().status() < 500);
        }
        if (cause instanceof StreamError error) {
            return remote(Refusal.CLIENT_ERROR.slug(), error.isUserError());
        }
        return Causes.unchecked(cause);
    }

    private static CompletionStage<ByteString> answered(MessageLite message) {
        return CompletableFuture.completedFuture(message.toByteString());
    }

    private static <M> M parse(Parser<M> parser, LinkHandler.Call call) {
        try {
            return parser.parseFrom(call.request());
        } catch (InvalidProtocolBufferException unreadable) {
            throw new IllegalArgumentException("a request of another node that cannot be read", unreadable);
        }
    }

    static Peer peer(NodeInfo node) {
        return new Peer(node.number(), node.process(), node.linkUrl(), node.linkKey());
    }

    static @Nullable Refusal refusalOf(@Nullable String code) {
        for (Refusal refusal : Refusal.values()) {
            if (refusal.slug().equals(code)) {
                return refusal;
            }
        }
        return null;
    }
}
