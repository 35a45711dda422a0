package io.huddle.mesh;

import io.huddle.security.Identity;
import io.huddle.stream.CallFailed;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamError;
import io.huddle.stream.Streams;
import io.huddle.web.JsonText;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The connected clients, and calls to them. Safe for use by any thread. */
@ApplicationScoped
public class Clients {
    /** The attribute of a participant's stream that names its team; whoever knows rooms sets it. */
    static final String TEAM = "team";

    @Inject
    private Streams streams;

    /**
     * A client of one of these teams.
     *
     * @throws Refused {@code client-not-found}, also for clients of other teams
     */
    ClientStream find(String client, Set<String> teams) {
        return streams.find(client)
                .filter(stream -> isOf(stream, teams))
                .orElseThrow(() -> new Refused(Refusal.CLIENT_NOT_FOUND, "no client of your teams has this id"));
    }

    private static boolean isOf(ClientStream stream, Set<String> teams) {
        if (stream.identity() instanceof Identity.Client key) {
            return !Collections.disjoint(key.teams(), teams);
        }
        String team = stream.attribute(TEAM);
        return team != null && teams.contains(team);
    }

    /**
     * Calls the client.
     *
     * @param data a JSON text, which arrives byte for byte
     * @return the client's JSON text; exceptionally with a {@link Refused} {@code client-disconnected},
     *     {@code backpressure}, {@code deadline-exceeded} or {@code delivery-indeterminate}, or with a {@link StreamError}
     *     {@code client-error} that has the client's own flag
     */
    CompletionStage<String> call(ClientStream client, String type, String data, Duration deadline) {
        DCallRequest request =
                DCallRequest.newBuilder().setType(type).setData(data).build();
        return client.call(request, DCallResponse.class, deadline).handle((answer, failed) -> {
            if (failed != null) {
                throw refusal(failed);
            }
            if (!JsonText.isValid(answer.getData())) {
                throw clientError(false);
            }
            return answer.getData();
        });
    }

    private static RuntimeException refusal(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (cause instanceof StreamError error) {
            return clientError(error.isUserError());
        }
        if (cause instanceof CallFailed call) {
            return switch (call.reason()) {
                case DISCONNECTED -> new Refused(Refusal.CLIENT_DISCONNECTED, "the call was not sent");
                case BACKPRESSURE -> new Refused(Refusal.BACKPRESSURE, "the call was not sent; try again later");
                case DEADLINE_EXCEEDED -> new Refused(Refusal.DEADLINE_EXCEEDED, "the call was not sent in time");
                case DELIVERY_INDETERMINATE ->
                    new Refused(Refusal.DELIVERY_INDETERMINATE, "the call was sent and not answered");
            };
        }
        return cause instanceof RuntimeException defect ? defect : new IllegalStateException(cause);
    }

    /** The client's own words stay with it: they may hold anything. */
    private static StreamError clientError(boolean userError) {
        return new StreamError(Refusal.CLIENT_ERROR.slug(), userError);
    }

    /** The key of a stream that may call and see others. */
    static Identity.@Nullable Client integrator(ClientStream stream) {
        return stream.identity() instanceof Identity.Client key && key.is(io.huddle.security.Role.INTEGRATOR)
                ? key
                : null;
    }
}
