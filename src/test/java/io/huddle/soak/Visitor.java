package io.huddle.soak;

import io.huddle.client.ClientKey;
import io.huddle.client.ClientOptions;
import io.huddle.client.Disconnected;
import io.huddle.client.HuddleClient;
import io.huddle.client.HuddleFailure;
import io.huddle.client.Ticket;
import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import jakarta.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One client as an integrator has it: the Java client behind a balancer, which comes back by itself. A participant joins
 * anew for each connection and renews its lease, over its stream or, without one, by REST. For any thread.
 */
final class Visitor implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private final Crowd crowd;
    private final HuddleClient client;
    private final String room;
    private final String participant;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger failedAttempts = new AtomicInteger();
    private final AtomicInteger halfAnswers = new AtomicInteger();
    private final Queue<HuddleFailure> losses = new ConcurrentLinkedQueue<>();
    private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
    private volatile String id;
    private volatile long generation;
    private volatile boolean isConnected;
    private volatile boolean renews = true;
    private final boolean returns;

    /** @param key null for a participant of the room */
    private Visitor(Crowd crowd, String id, @Nullable String key, String room, String participant, boolean returns) {
        this.crowd = crowd;
        this.id = id;
        this.room = room;
        this.participant = participant;
        this.returns = returns;
        ClientOptions options = ClientOptions.defaults()
                .audience("/stream")
                .reconnect(returns)
                .onConnected(this::connected)
                .onDisconnected(this::lost);
        this.client = key == null
                ? HuddleClient.withTickets(this::join, options)
                : HuddleClient.withKey(crowd.stream(), new ClientKey(id, key), options);
        client.serve(
                DCallRequest.class,
                call -> DCallResponse.newBuilder().setData("1").build());
    }

    /** @param returns whether it comes back by itself; otherwise it waits for {@link #connect} */
    static Visitor participant(Crowd crowd, String room, String name, boolean returns) {
        return new Visitor(crowd, "", null, room, name, returns);
    }

    /** A client with a key; see {@link #participant}. */
    static Visitor signed(Crowd crowd, String id, String key, boolean returns) {
        return new Visitor(crowd, id, key, "", "", returns);
    }

    /** Connects, or connects again; completes when that is decided. */
    CompletableFuture<Boolean> connect() {
        renews = true;
        return client.connect();
    }

    /** From now on nothing is heard of it but its stream. */
    void fallSilent() {
        renews = false;
    }

    /** Whether it comes back by itself. */
    boolean returns() {
        return returns;
    }

    boolean isParticipant() {
        return !room.isEmpty();
    }

    /** Its client id; a session's for a participant. */
    String id() {
        return id;
    }

    /** The newest one that was joined; zero for a client with a key. */
    long generation() {
        return generation;
    }

    boolean isConnected() {
        return client.isConnected();
    }

    /** How often it was connected so far. */
    int connections() {
        return connections.get();
    }

    /** Attempts to come back that came to nothing. */
    int failedAttempts() {
        return failedAttempts.get();
    }

    /** Why its established connections ended so far. */
    List<HuddleFailure> losses() {
        return List.copyOf(losses);
    }

    /** Renewals that were refused for good. */
    List<String> refusals() {
        return List.copyOf(refusals);
    }

    private void connected() {
        connections.incrementAndGet();
        isConnected = true;
    }

    private void lost(Disconnected how) {
        if (isConnected) {
            isConnected = false;
            losses.add(how.cause());
        } else {
            failedAttempts.incrementAndGet();
        }
    }

    private CompletableFuture<Ticket> join() {
        JsonObject body = Api.json().add("participant", participant).build();
        return crowd.integrator()
                .within(PATIENCE)
                .later("POST", "/rooms/" + room + "/sessions", body)
                // The HTTP client's own limit ends with the head of an answer.
                .orTimeout(PATIENCE.plusSeconds(2).toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failed) -> {
                    if (failed instanceof TimeoutException) {
                        halfAnswers.incrementAndGet();
                    }
                })
                .thenApply(this::ticket);
    }

    /** Joins that were never answered whole. */
    int halfAnswers() {
        return halfAnswers.get();
    }

    private Ticket ticket(Answer joined) {
        if (joined.status() >= 300) {
            throw new CompletionException(new IllegalStateException("join: " + joined.status()));
        }
        id = joined.json().getString("session");
        generation = Math.max(generation, joined.json().getInt("generation"));
        URI stream = crowd.stream();
        return new Ticket(stream, StreamClient.ticket(joined));
    }

    /** To be called at every heartbeat. */
    void renew() {
        if (!isParticipant() || !renews || generation == 0) {
            return;
        }
        if (client.isConnected()) {
            URenewRequest request = URenewRequest.newBuilder()
                    .setSession(id)
                    .setGeneration((int) generation)
                    .build();
            var unused = client.call(request, URenewResponse.class, PATIENCE).exceptionally(failed -> null);
        } else {
            var unused = crowd.integrator()
                    .within(PATIENCE)
                    .later(
                            "PUT",
                            "/rooms/" + room + "/sessions/" + id + "/lease",
                            Api.json().add("generation", generation).build())
                    .thenAccept(this::hear);
        }
    }

    /** A generation that was overtaken by this visitor's own next join is no news. */
    private void hear(Answer answer) {
        if (answer.status() == 410 || answer.status() == 404) {
            refusals.add(id + " " + answer.status() + " " + answer.json().getString("code", ""));
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
