package io.huddle.signal;

import io.huddle.mesh.Clients;
import io.huddle.presence.Members;
import io.huddle.presence.StreamFailures;
import io.huddle.security.Identity;
import io.huddle.setting.Setting;
import io.huddle.signal.SignalMetrics.Outcome;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Handles;
import io.huddle.stream.Streams;
import io.huddle.web.Causes;
import io.huddle.web.RateLimit;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.DSignalResponse;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.USignalRequest;
import io.huddle.wire.USignalResponse;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Relays a member's signal to another member. Both are looked up in one query, each time: who was in the room a moment ago
 * may be gone, and a generation that has been left behind must not talk for its session.
 */
@ApplicationScoped
public class Signals {
    private final int longest = Setting.SIGNAL_PAYLOAD_BYTES.value();
    private final Duration patience = Duration.ofMillis(Setting.SIGNAL_ACK_MS.value());
    private final RateLimit rate = new RateLimit(Setting.SIGNALS_PER_SECOND.value(), Setting.SIGNAL_BURST.value());

    @Inject
    private Members members;

    @Inject
    private Streams streams;

    @Inject
    private Clients clients;

    @Inject
    private StreamFailures failures;

    @Inject
    private SignalMetrics metrics;

    @Resource
    private ManagedExecutorService executor;

    /** By sender: who may signal to whom is asked in the order in which the signals came. */
    private Lanes senders = new Lanes(Runnable::run);

    /** By sender and target: a target whose node is not found at once holds up only what is meant for it. */
    private Lanes pairs = new Lanes(Runnable::run);

    @PostConstruct
    void prepare() {
        senders = new Lanes(executor);
        pairs = new Lanes(executor);
    }

    /**
     * Answers whether the other side has taken the signal. Does not block; what waits is bounded by the requests that a
     * stream may have in flight.
     */
    @Handles(value = "uSignal", blocking = false)
    public CompletionStage<USignalResponse> relay(ClientStream from, USignalRequest request) {
        SignalKind kind = SignalKind.of(request.getKind())
                .orElseThrow(() -> Refused.invalid("kind must be offer, answer, candidate or bye"));
        try {
            Identity.Participant sender = check(from, request);
            // A candidate that overtakes its offer is of no use to the other side.
            return senders.run(
                            from.connectionId(),
                            () -> send(from, sender, request),
                            sent -> CompletableFuture.completedFuture(null))
                    .thenCompose(Function.identity())
                    .handle((outcome, failed) -> answer(kind, outcome, failed));
        } catch (Refused refused) {
            metrics.signal(kind, Outcome.REFUSED);
            throw refused;
        }
    }

    private Identity.Participant check(ClientStream from, USignalRequest request) {
        if (!(from.identity() instanceof Identity.Participant sender)) {
            throw new Refused(Refusal.FORBIDDEN, "only a participant's own stream signals");
        }
        rate.take(from.connectionId());
        if (request.getPayload().getBytes(StandardCharsets.UTF_8).length > longest) {
            throw new Refused(Refusal.PAYLOAD_TOO_LARGE, "a payload has at most " + longest + " bytes");
        }
        if (sender.session().equals(request.getToSession())) {
            throw Refused.invalid("toSession must be another member's session");
        }
        return sender;
    }

    private CompletionStage<Outcome> send(ClientStream from, Identity.Participant sender, USignalRequest request)
            throws SQLException {
        long generation = members.generation(sender, "signal", request.getRoom(), request.getToSession());
        DSignalRequest signal = DSignalRequest.newBuilder()
                .setRoom(request.getRoom())
                .setFromSession(sender.session())
                .setGeneration((int) sender.generation())
                .setKind(request.getKind())
                .setPayload(request.getPayload())
                .build();
        Optional<ClientStream> here = streams.find(request.getToSession()).filter(stream -> isOf(stream, generation));
        if (here.isPresent()) {
            return here.get()
                    .call(signal, DSignalResponse.class, patience)
                    .handle((taken, failed) -> failed == null ? Outcome.DELIVERED : Outcome.UNACKNOWLEDGED);
        }
        String target = request.getToSession();
        long until = System.nanoTime() + patience.toNanos();
        return pairs.run(
                        from.connectionId() + " " + target,
                        () -> clients.deliver(
                                target,
                                generation,
                                ServerMessage.newBuilder().setDSignalRequest(signal),
                                // What waited for its turn has less time left, so that a line does not add up.
                                Duration.ofNanos(Math.max(1, until - System.nanoTime()))),
                        Clients.Delivery::handed)
                .thenCompose(Clients.Delivery::answer)
                .handle((taken, failed) -> failed == null ? Outcome.DELIVERED : outcome(failed));
    }

    /** What became of a signal to another node. */
    private static Outcome outcome(Throwable failed) {
        if (Causes.of(failed) instanceof Refused refused) {
            return switch (refused.refusal()) {
                case CLIENT_NOT_FOUND, CLIENT_DISCONNECTED, OWNER_UNAVAILABLE, BACKPRESSURE, DEADLINE_EXCEEDED ->
                    Outcome.NOT_CONNECTED;
                default -> Outcome.UNACKNOWLEDGED;
            };
        }
        return Outcome.UNACKNOWLEDGED;
    }

    private static boolean isOf(ClientStream stream, long generation) {
        return stream.identity() instanceof Identity.Participant member && member.generation() == generation;
    }

    private USignalResponse answer(SignalKind kind, Outcome outcome, @Nullable Throwable failed) {
        if (failed != null) {
            metrics.signal(kind, Outcome.REFUSED);
            throw failures.of(failed);
        }
        metrics.signal(kind, outcome);
        return USignalResponse.newBuilder()
                .setDelivered(outcome == Outcome.DELIVERED)
                .build();
    }
}
