package io.huddle.mesh;

import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.security.Identity;
import io.huddle.security.Role;
import io.huddle.stream.ClientStream;
import io.huddle.stream.StreamError;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of all nodes, and what can be asked of them. Safe for use by any thread; nothing blocks.
 *
 * <p>Every refusal is a {@link Refused}: {@code client-not-found}, also for clients out of reach; {@code client-disconnected};
 * {@code owner-unavailable} if the client's node cannot be reached or the registry is away, and nothing was sent;
 * {@code backpressure}; {@code deadline-exceeded} if it was surely not delivered; {@code delivery-indeterminate} if it may
 * have arrived. A client that answers with an error ends a call with a {@link StreamError} {@code client-error} that has
 * the client's own flag.
 */
@ApplicationScoped
public class Clients {
    /** The attribute of a participant's stream that names its team; whoever knows rooms sets it. */
    static final String TEAM = "team";

    /**
     * Calls a client, wherever it is connected.
     *
     * @param data a JSON text, which arrives byte for byte
     * @param deadline from now to the answer
     * @return the client's JSON text
     */
    public CompletionStage<String> invoke(Reach reach, String client, String type, String data, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    /**
     * Merges into the client's metadata at the top level; null deletes a key.
     *
     * @return the record with the merged metadata; exceptionally also {@code payload-too-large}
     */
    public CompletionStage<ClientRecord> patchMetadata(
            Reach reach, String client, JsonObject patch, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    /** Disconnects a client, whose stream closes as disconnected by an operator. Done when its node has done it. */
    public CompletionStage<Void> disconnect(String client, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    /** The client's record. */
    public CompletionStage<ClientRecord> get(Reach reach, String client) {
        throw new UnsupportedOperationException();
    }

    /**
     * A page of the clients within reach: at most {@code limit}, possibly fewer though more follow.
     *
     * @param node only those of this node; null for all
     * @param cursor of the page before, empty at first
     * @return exceptionally {@code invalid-request} for a cursor that is none
     */
    public CompletionStage<ClientPage> list(Reach reach, @Nullable Long node, String cursor, int limit) {
        throw new UnsupportedOperationException();
    }

    /** The key of a stream that may call and see others. */
    static Identity.@Nullable Client integrator(ClientStream stream) {
        return stream.identity() instanceof Identity.Client key && key.is(Role.INTEGRATOR) ? key : null;
    }
}
