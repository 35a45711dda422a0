package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.security.ClientKeyDeleted;
import io.huddle.security.ClientKeys;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.Streams;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells the other nodes that a client's key was deleted, so that its stream ends wherever it is. This node's own streams
 * have heard it already. Best effort: a node that does not hear it keeps the stream, whose client cannot come back.
 */
@ApplicationScoped
public class DeletedKeys {
    private static final Logger LOG = Logger.getLogger(DeletedKeys.class.getName());
    private static final String TYPE = "client-key-deleted";

    @Inject
    private Membership membership;

    @Inject
    private MembershipBackend nodes;

    @Inject
    private Streams streams;

    void start(@Observes DatabaseReady ready) {
        if (nodes.isShared()) {
            membership.onBroadcast(TYPE, heard -> client(heard.json()).ifPresent(streams::forget));
        }
    }

    void tell(@Observes(during = TransactionPhase.AFTER_SUCCESS) ClientKeyDeleted deleted) {
        if (!nodes.isShared()) {
            return;
        }
        var unused = membership.broadcast(TYPE, json(deleted.client()), true).exceptionally(failed -> {
            LOG.log(Level.WARNING, "other nodes may not have heard that a client key was deleted", failed);
            return null;
        });
    }

    static String json(String client) {
        return Json.createObjectBuilder().add("client", client).build().toString();
    }

    /** The client of a message; empty if it cannot be read. */
    static Optional<String> client(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            JsonObject object = reader.readObject();
            return Optional.ofNullable(object.getString("client", null)).filter(ClientKeys::isForm);
        } catch (RuntimeException unreadable) {
            LOG.log(Level.FINE, "another node said something about keys that cannot be read", unreadable);
            return Optional.empty();
        }
    }
}
