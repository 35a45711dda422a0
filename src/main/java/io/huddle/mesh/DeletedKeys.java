package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.security.ClientKeyDeleted;
import io.huddle.security.ClientKeys;
import io.huddle.security.Identity;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Streams;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Ends the streams of clients whose key was deleted, wherever they are. The node that deleted one tells the others, which is
 * best effort; so each node looks every {@code huddle.keys.check-seconds}, too, whether the keys of its streams are still there.
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

    @Inject
    private ClientKeys keys;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        if (nodes.isShared()) {
            membership.onBroadcast(TYPE, heard -> client(heard.json()).ifPresent(streams::forget));
        }
        Duration pause = Duration.ofSeconds(Setting.KEY_CHECK_SECONDS.value());
        background.repeat("the check of clients' keys", pause, pause, this::check);
    }

    /** Ends the streams of this node whose key is gone, or is another one under the same id. One query. */
    void check() throws SQLException {
        Map<String, Identity.Client> open = new HashMap<>();
        for (ClientStream stream : streams.all()) {
            if (stream.identity() instanceof Identity.Client client) {
                open.put(client.client(), client);
            }
        }
        if (open.isEmpty()) {
            return;
        }
        Map<String, Instant> made = keys.made(open.keySet());
        open.forEach((id, client) -> {
            Instant now = made.get(id);
            Instant then = client.keyMadeAt();
            if (now == null || (then != null && !then.equals(now))) {
                streams.forget(id);
            }
        });
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
