package io.huddle.mesh;

import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.security.ClientKeyDeleted;
import io.huddle.security.ClientKeys;
import io.huddle.security.Identity;
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
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Ends the streams of clients whose key was deleted, wherever they are. The node that deleted one tells the others, which is
 * best effort; so each node looks, too, every half minute, whether the keys of its streams are still there.
 */
@ApplicationScoped
public class DeletedKeys {
    private static final Logger LOG = Logger.getLogger(DeletedKeys.class.getName());
    private static final String TYPE = "client-key-deleted";
    private static final Duration CHECK = Duration.ofSeconds(30);

    /** A stream comes after its key; by how much more the two clocks must differ to tell that the key is another one. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

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
        background.repeat("the check of clients' keys", CHECK, CHECK, this::check);
    }

    /** Ends the streams of this node whose key is gone, or has been made anew under the same id. */
    void check() throws SQLException {
        Map<String, Duration> open = new HashMap<>();
        for (ClientStream stream : streams.all()) {
            if (stream.identity() instanceof Identity.Client client) {
                open.put(client.client(), stream.age());
            }
        }
        if (open.isEmpty()) {
            return;
        }
        Map<String, Duration> ages = keys.ages(open.keySet());
        open.forEach((client, age) -> {
            Duration key = ages.get(client);
            if (key == null || age.compareTo(key.plus(MARGIN)) > 0) {
                streams.forget(client);
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
