package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.registry.Warrant;
import io.huddle.security.Identity;
import io.huddle.setting.Setting;
import io.huddle.stream.ByteSender;
import io.huddle.stream.ByteSource;
import io.huddle.stream.CallFailed;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamError;
import io.huddle.web.Causes;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is done with a stream on the node that has it. Safe for use by any thread; nothing blocks. */
@ApplicationScoped
public class LocalCalls {
    private static final Duration VALIDITY = Duration.ofSeconds(5);

    private final int metadataBytes = Setting.CLIENT_METADATA_BYTES.value();

    @Inject
    private Membership membership;

    @Inject
    private Ownership ownership;

    @Inject
    private GenerationFence generations;

    private final ConcurrentMap<String, CompletableFuture<Void>> turns = new ConcurrentHashMap<>();

    /** The teams that may see the stream's client. */
    static List<String> teams(ClientStream stream) {
        if (stream.identity() instanceof Identity.Client key) {
            return key.teams().stream().sorted().toList();
        }
        String team = stream.attribute(Clients.TEAM);
        return team == null ? List.of() : List.of(team);
    }

    /**
     * True if the stream is recorded under the number that this node has now. A node that comes back under a new number has
     * a lease before it knows which of its streams were taken over while it had none.
     */
    boolean isOwned(ClientStream stream) {
        return ownership.isOwner(stream);
    }

    boolean isReachable(ClientStream stream, Reach reach) {
        return reach.includes(teams(stream));
    }

    /**
     * Calls the client, and looks again before the answer is passed on: a node that has lost its lease meanwhile, or whose
     * participant came back where nobody could ask it to make way, may not say that it was the owner who answered.
     */
    CompletionStage<ClientMessage> call(ClientStream stream, ServerMessage request, Duration deadline) {
        CompletionStage<ClientMessage> answered = stream.call(request, deadline);
        if (stream.identity() instanceof Identity.Participant) {
            answered = answered.thenCompose(answer -> generations.recent().thenApply(looked -> answer));
        }
        return answered.handle((answer, failed) -> {
            if (failed != null) {
                throw refusal(failed);
            }
            if (stream.isDead() || !membership.mayDeliver() || !isOwned(stream)) {
                throw new Refused(Refusal.DELIVERY_INDETERMINATE, "the client's connection was taken over meanwhile");
            }
            return answer;
        });
    }

    /**
     * What a client answered.
     *
     * @param message without the number of a byte stream, which means something on its connection alone
     * @param bytes the byte stream that it announced, to be taken within {@link Passages#PATIENCE}; null for none
     */
    record Reply(ClientMessage message, @Nullable Announced bytes) {}

    /**
     * Calls the client, perhaps with a byte stream. If the call fails, the byte streams of both sides are broken off with its
     * refusal.
     *
     * @param bytes flows to the client from now on; null for none
     * @param takesBytes false if a byte stream of the answer is of no use
     */
    CompletionStage<Reply> exchange(
            ClientStream stream,
            ServerMessage request,
            @Nullable ByteSource bytes,
            boolean takesBytes,
            Duration deadline) {
        if (bytes == null) {
            return call(stream, request, deadline).thenApply(answer -> reply(stream, answer, takesBytes));
        }
        ByteSender sender;
        ByteSource.BreakOff flow;
        try {
            sender = stream.openBytes();
            flow = ToClient.pour(bytes, sender, () -> mayDeliver(stream));
        } catch (StreamError none) {
            return CompletableFuture.failedFuture(
                    stream.isDead()
                            ? new Refused(Refusal.CLIENT_DISCONNECTED, "the call was not sent")
                            : new Refused(Refusal.BACKPRESSURE, "the client has as many byte streams as it may have"));
        } catch (Refused refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return call(stream, named(request, sender.id()), deadline)
                .thenApply(answer -> reply(stream, answer, takesBytes))
                .whenComplete((reply, failed) -> {
                    if (failed != null) {
                        flow.breakOff(Passages.reason(failed));
                    }
                });
    }

    /** Sends the bytes on to a client of this node; the number by which it knows them. */
    int pour(ByteSource bytes, ClientStream stream) {
        ByteSender sender = stream.openBytes();
        var unused = ToClient.pour(bytes, sender, () -> mayDeliver(stream));
        return sender.id();
    }

    private boolean mayDeliver(ClientStream stream) {
        return membership.mayDeliver() && isOwned(stream);
    }

    private static ServerMessage named(ServerMessage request, int id) {
        ServerMessage.Builder named = request.toBuilder();
        named.getDCallRequestBuilder().setStreamId(id);
        return named.build();
    }

    private static Reply reply(ClientStream stream, ClientMessage answer, boolean takesBytes) {
        if (!answer.getDCallResponse().hasStreamId()) {
            return new Reply(answer, null);
        }
        int id = answer.getDCallResponse().getStreamId();
        Announced announced;
        try {
            announced = Announced.of(receiver -> stream.receiveBytes(id, receiver), Passages.PATIENCE);
        } catch (StreamError none) {
            throw stream.isDead()
                    ? new Refused(Refusal.DELIVERY_INDETERMINATE, "the client's connection has ended meanwhile")
                    : new StreamError(Refusal.CLIENT_ERROR.slug(), false);
        }
        if (!takesBytes) {
            announced.breakOff("nobody takes the bytes");
            return new Reply(unnamed(answer), null);
        }
        return new Reply(unnamed(answer), announced);
    }

    static ClientMessage unnamed(ClientMessage answer) {
        if (!answer.getDCallResponse().hasStreamId()) {
            return answer;
        }
        ClientMessage.Builder bare = answer.toBuilder();
        bare.getDCallResponseBuilder().clearStreamId();
        return bare.build();
    }

    static RuntimeException refusal(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof StreamError error) {
            // The client's own words stay with it: they may hold anything.
            return new StreamError(Refusal.CLIENT_ERROR.slug(), error.isUserError());
        }
        if (cause instanceof CallFailed call) {
            return switch (call.reason()) {
                case DISCONNECTED -> new Refused(Refusal.CLIENT_DISCONNECTED, "the call was not sent");
                case BACKPRESSURE -> new Refused(Refusal.BACKPRESSURE, "the call was not sent; try again later");
                case TOO_LARGE ->
                    new Refused(
                            Refusal.PAYLOAD_TOO_LARGE, "the call was not sent: a message to a client is not that long");
                case DEADLINE_EXCEEDED -> new Refused(Refusal.DEADLINE_EXCEEDED, "the call was not sent in time");
                case DELIVERY_INDETERMINATE ->
                    new Refused(Refusal.DELIVERY_INDETERMINATE, "the call was sent and not answered");
            };
        }
        return Causes.unchecked(cause);
    }

    /**
     * Merges into the metadata: first in the registry, and if that took it in the live stream.
     *
     * @param patch a JSON object; null deletes a key
     * @return the merged metadata
     */
    CompletionStage<String> patch(ClientStream stream, String patch) {
        JsonObject changes = object(patch);
        return inTurn(stream, () -> {
            String merged = merged(object(stream.metadata()), changes);
            if (merged.getBytes(StandardCharsets.UTF_8).length > metadataBytes) {
                throw new Refused(
                        Refusal.PAYLOAD_TOO_LARGE,
                        "the merged metadata would have more than " + metadataBytes + " bytes");
            }
            return write(stream, merged).thenApply(nothing -> merged);
        });
    }

    /** Replaces the metadata by what the client itself says: at once, and in the registry now or as soon as it answers. */
    CompletionStage<Void> keep(ClientStream stream, String metadata) {
        return inTurn(stream, () -> {
            stream.metadata(metadata);
            return ownership.synchronise(stream).thenAccept(isThere -> {});
        });
    }

    /** Changes of one stream come one after the other, or one of two at once would be lost. */
    private <T> CompletionStage<T> inTurn(ClientStream stream, Supplier<CompletionStage<T>> change) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> before = turns.put(stream.connectionId(), mine);
        CompletionStage<Void> start = before == null ? CompletableFuture.completedFuture(null) : before;
        return start.thenCompose(nothing -> change.get()).whenComplete((done, failed) -> {
            turns.remove(stream.connectionId(), mine);
            mine.complete(null);
        });
    }

    private CompletionStage<Void> write(ClientStream stream, String metadata) {
        Warrant warrant = membership.warrant(VALIDITY).orElse(null);
        if (warrant == null) {
            return CompletableFuture.failedFuture(new Refused(
                    Refusal.OWNER_UNAVAILABLE, "the client's node cannot prove that it still is; try again"));
        }
        return ownership.write(warrant, stream, metadata).thenAccept(isWritten -> {
            if (!isWritten || stream.isDead()) {
                throw new Refused(Refusal.OWNER_UNAVAILABLE, "the registry did not take the metadata; try again");
            }
            stream.metadata(metadata);
        });
    }

    private static String merged(JsonObject old, JsonObject changes) {
        JsonObjectBuilder all = Json.createObjectBuilder(old);
        for (Map.Entry<String, JsonValue> change : changes.entrySet()) {
            if (change.getValue() == JsonValue.NULL) {
                all.remove(change.getKey());
            } else {
                all.add(change.getKey(), change.getValue());
            }
        }
        return all.build().toString();
    }

    static JsonObject object(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            return reader.readObject();
        }
    }
}
