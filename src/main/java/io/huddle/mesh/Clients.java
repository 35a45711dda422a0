package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.Links;
import io.huddle.membership.Membership;
import io.huddle.mesh.CallAttempt.Carried;
import io.huddle.mesh.CallAttempt.Meant;
import io.huddle.mesh.LocalCalls.Reply;
import io.huddle.mesh.wire.DisconnectRequest;
import io.huddle.mesh.wire.MetadataAnswer;
import io.huddle.mesh.wire.MetadataRequest;
import io.huddle.mesh.wire.Target;
import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.security.Identity;
import io.huddle.security.Role;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ByteSource;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.StreamError;
import io.huddle.stream.Streams;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import io.huddle.web.JsonText;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.Traces;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.Trace;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of all nodes, and what can be asked of them. Safe for use by any thread; nothing blocks.
 *
 * <p>Every refusal is a {@link Refused}: {@code client-not-found}, also for clients out of reach; {@code client-disconnected};
 * {@code owner-unavailable} if the client's node cannot be reached or the registry is away, and nothing was sent;
 * {@code backpressure}; {@code deadline-exceeded} if it was surely not delivered; {@code delivery-indeterminate} if it may
 * have arrived. A client that answers with an error ends a call with a {@link StreamError} {@code client-error} that has
 * the client's own flag.
 *
 * <p>A call to a client of this node asks nobody, one along a known route nobody but the owner, any other asks the registry
 * once. An owner that says it is not is asked no more: the registry once again, then that owner.
 */
@ApplicationScoped
public class Clients {
    /** The attribute of a participant's stream that names its team; whoever knows rooms sets it. */
    static final String TEAM = "team";

    /** A page waits no longer for what it can do without. */
    private static final long LOCATE_MS = 1_000;

    private final Routes routes = new Routes(Setting.MESH_ROUTES.value());

    @Inject
    private Streams streams;

    @Inject
    private RegistryBackend registry;

    @Inject
    private Membership membership;

    @Inject
    private Links links;

    @Inject
    private LocalCalls local;

    @Inject
    private Passages passages;

    @Inject
    private MeshMetrics metrics;

    @Inject
    private Traces traces;

    @Resource
    private ManagedExecutorService executor;

    @SuppressWarnings("NullAway.Init")
    private Attempt.Around around;

    @PostConstruct
    void prepare() {
        around = new Attempt.Around(
                client -> streams.find(client).filter(local::isOwned),
                client -> streams.find(client).isPresent(),
                this::record,
                membership::mayDeliver,
                membership::process,
                membership::route,
                links::isFresh,
                links::call,
                routes,
                metrics::invocation);
    }

    /** Made with the application: whoever asks first may be on a thread that cannot look up what this needs. */
    void start(@Observes DatabaseReady ready) {}

    /**
     * Where these clients are connected, of those that are, for a page that shows them. Blocks for at most a second.
     *
     * @return empty if the registry did not answer in time
     */
    public Optional<Map<String, ClientJson>> locate(Collection<String> clients) {
        Map<String, CompletableFuture<Optional<ClientRecord>>> asked = new LinkedHashMap<>();
        clients.forEach(client -> asked.put(client, registry.getClient(client).toCompletableFuture()));
        try {
            CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                    .get(LOCATE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            if (Answers.isAway(failed)) {
                return Optional.empty();
            }
            throw Causes.unchecked(failed);
        } catch (TimeoutException late) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        Map<String, ClientJson> found = new LinkedHashMap<>();
        asked.forEach((client, answer) -> answer.join().ifPresent(one -> found.put(client, ClientJson.of(one))));
        return Optional.of(found);
    }

    /**
     * Calls a client, wherever it is connected.
     *
     * @param data a JSON text, which arrives byte for byte
     * @param deadline from now to the answer
     * @return the client's JSON text
     */
    public CompletionStage<String> invoke(Reach reach, String client, String type, String data, Duration deadline) {
        return call(client, new Meant(reach, 0), carried(type, data, null, ""), deadline)
                .run()
                .thenApply(reply -> answer(reply).data());
    }

    /**
     * What a client answered.
     *
     * @param data its JSON text
     * @param bytes a byte stream that belongs to the answer, to be taken within ten seconds, after which it is broken off; null
     *     for none
     */
    public record Answer(String data, @Nullable ByteSource bytes) {}

    /**
     * Calls a client as {@link #invoke} does, with byte streams: one may go with the call, one may come with the answer.
     *
     * <p>Each flows as fast as its reader takes it, wherever the two clients are, and may go on after the answer. It ends
     * whole, or is broken off for both with the same reason: that of the one who broke it off, or else a slug of {@link
     * Refusal}: of the refusal that the call ended with; {@code client-disconnected} with one of the connections; {@code
     * delivery-indeterminate} with the link; {@code owner-unavailable} without a lease; {@code backpressure} without a place.
     *
     * @param caller whose byte streams they are: nobody has more than a share of those that may be between nodes
     * @param bytes for the client; null for none
     * @throws StreamError if there is no such byte stream
     */
    public CompletionStage<Answer> exchange(
            Reach reach,
            String caller,
            String client,
            String type,
            String data,
            @Nullable ByteSource bytes,
            Duration deadline) {
        Announced given = bytes == null ? null : Announced.of(bytes, deadline.plus(Passages.PATIENCE));
        return call(client, new Meant(reach, 0), carried(type, data, given, caller), deadline)
                .run()
                .thenApply(Clients::answer)
                .whenComplete((answer, failed) -> {
                    if (failed != null && given != null) {
                        String why = Passages.reason(failed);
                        given.breakOff(why == null ? Refusal.DELIVERY_INDETERMINATE.slug() : why);
                    }
                });
    }

    private static Answer answer(Reply reply) {
        String data = reply.message().getDCallResponse().getData();
        Announced bytes = reply.bytes();
        if (!JsonText.isValid(data)) {
            if (bytes != null) {
                bytes.breakOff(Refusal.CLIENT_ERROR.slug());
            }
            throw new StreamError(Refusal.CLIENT_ERROR.slug(), false);
        }
        return new Answer(data, bytes);
    }

    private Carried carried(String type, String data, @Nullable Announced bytes, String caller) {
        DCallRequest request =
                DCallRequest.newBuilder().setType(type).setData(data).build();
        return new Carried(traced(ServerMessage.newBuilder().setDCallRequest(request)), bytes, caller);
    }

    /**
     * A request on its way.
     *
     * @param handed done, and never failed, when what is sent to the same session next comes after it, or when it is over;
     *     where its owner turns out to be another one, what followed it at once may still come first
     * @param answer what the client answers
     */
    public record Delivery(CompletionStage<Void> handed, CompletionStage<ClientMessage> answer) {}

    /**
     * Sends a participant's stream a request that the rooms' rules have judged.
     *
     * @param generation the one that is meant; another's stream is not called
     * @param request holds a request of the server
     */
    public Delivery deliver(String session, long generation, ServerMessage.Builder request, Duration deadline) {
        Attempt<Reply> attempt =
                call(session, new Meant(null, generation), new Carried(traced(request), null, ""), deadline);
        CompletionStage<ClientMessage> answer = attempt.run().thenApply(Reply::message);
        return new Delivery(attempt.handed(), answer);
    }

    private Attempt<Reply> call(String client, Meant meant, Carried carried, Duration deadline) {
        return new CallAttempt(around, local, passages, client, meant, carried, deadline);
    }

    private ServerMessage traced(ServerMessage.Builder request) {
        String trace = traces.current();
        if (trace != null) {
            request.setTrace(
                    Trace.newBuilder().setTraceId(trace).setSpanId(Ids.span()).setTraceFlags(1));
        }
        return request.build();
    }

    /**
     * Merges into the client's metadata at the top level; null deletes a key.
     *
     * @return the record with the merged metadata; exceptionally also {@code payload-too-large}
     */
    public CompletionStage<ClientRecord> patchMetadata(
            Reach reach, String client, JsonObject patch, Duration deadline) {
        String changes = patch.toString();
        Attempt<String> attempt = new Attempt<>(around, client, deadline) {
            @Override
            CompletionStage<String> here(ClientStream stream) {
                if (!local.isReachable(stream, reach)) {
                    throw notFound();
                }
                return local.patch(stream, changes);
            }

            @Override
            String operation() {
                return "metadata";
            }

            @Override
            ByteString request(Target target) {
                return MetadataRequest.newBuilder()
                        .setTarget(target)
                        .setEverybody(reach.everybody())
                        .addAllTeams(reach.teams())
                        .setPatch(changes)
                        .build()
                        .toByteString();
            }

            @Override
            String answer(ByteString answer) throws InvalidProtocolBufferException {
                return MetadataAnswer.parseFrom(answer).getMetadata();
            }
        };
        return attempt.run().thenCompose(merged -> get(reach, client));
    }

    /** Disconnects a client, whose stream closes as disconnected by an operator. Done when its node has done it. */
    public CompletionStage<Void> disconnect(String client, Duration deadline) {
        Attempt<Boolean> attempt = new Attempt<>(around, client, deadline) {
            @Override
            CompletionStage<Boolean> here(ClientStream stream) {
                return CompletableFuture.supplyAsync(
                        () -> {
                            stream.close(CloseCause.OPERATOR, "disconnected by an operator");
                            return true;
                        },
                        executor);
            }

            @Override
            String operation() {
                return "disconnect";
            }

            @Override
            ByteString request(Target target) {
                return DisconnectRequest.newBuilder().setTarget(target).build().toByteString();
            }

            @Override
            Boolean answer(ByteString answer) {
                return true;
            }
        };
        return attempt.run().thenAccept(done -> {});
    }

    /** The active record. One that cannot be read is no absence: its node writes it anew within seconds. */
    private CompletionStage<Optional<ClientRecord>> record(String client) {
        return registry.getClientIncludingPending(client).thenApply(sight -> {
            if (sight.corrupt()) {
                metrics.corruptRecord();
                throw unavailable("the client's record cannot be read");
            }
            return Optional.ofNullable(sight.record()).filter(ClientRecord::isActive);
        });
    }

    /** The client's record. */
    public CompletionStage<ClientRecord> get(Reach reach, String client) {
        if (!RegistryBackend.isClientId(client)) {
            return CompletableFuture.failedFuture(notFound());
        }
        return registered(record(client))
                .thenApply(found ->
                        found.filter(record -> reach.includes(record.teams())).orElseThrow(Clients::notFound));
    }

    /**
     * A page of the clients within reach: at most {@code limit}, possibly fewer though more follow.
     *
     * @param node only those of this node; null for all
     * @param cursor the {@code next} of the page before, empty at first; it tells nothing of clients out of reach
     * @throws Refused {@code invalid-request} for a cursor that is none of this listing and of the registry's epoch
     */
    public CompletionStage<ClientPage> list(Reach reach, @Nullable Long node, String cursor, int limit) {
        String position = cursor.isEmpty() ? "" : PageCursor.open(epoch(), cursor);
        CompletionStage<ClientPage> page;
        try {
            page = node == null
                    ? registry.listClientsPage(position, limit)
                    : registry.listClientsForNodePage(node, position, limit);
        } catch (IllegalArgumentException none) {
            throw Refused.invalid("the cursor is none of this listing");
        }
        return registered(page).thenApply(all -> {
            List<ClientRecord> seen = all.clients().stream()
                    .filter(record -> reach.includes(record.teams()))
                    .toList();
            String next = all.next();
            return new ClientPage(seen, next == null ? null : PageCursor.seal(epoch(), next));
        });
    }

    private String epoch() {
        return membership
                .lease()
                .map(lease -> lease.epoch().id())
                .orElseThrow(() -> unavailable("this node cannot prove that it belongs to the mesh"));
    }

    /** The key of a stream that may call and see others. */
    static Identity.@Nullable Client integrator(ClientStream stream) {
        return stream.identity() instanceof Identity.Client key && key.is(Role.INTEGRATOR) ? key : null;
    }

    static Refused notFound() {
        return new Refused(Refusal.CLIENT_NOT_FOUND, "no client that you may see has this id");
    }

    static Refused unavailable(String why) {
        return new Refused(Refusal.OWNER_UNAVAILABLE, why + "; try again");
    }

    static <T> CompletionStage<T> registered(CompletionStage<T> asked) {
        return asked.handle((answer, failed) -> {
            if (failed == null) {
                return answer;
            }
            Throwable cause = Causes.of(failed);
            if (cause instanceof RegistryUnavailable) {
                throw unavailable("the registry of clients does not answer");
            }
            throw Causes.unchecked(cause);
        });
    }
}
