package io.huddle.mesh;

import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.web.JsonShapes;
import io.huddle.web.JsonText;
import jakarta.json.Json;
import jakarta.json.JsonBuilderFactory;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connected client on the wire. It writes itself, so that metadata leaves as it was given: digits, order and all. Pure.
 *
 * @param node opaque, the same for all clients of a node, another after the node's restart
 * @param session of a participant, with the generation that is connected; null for a client with a key
 * @param metadata one JSON object; null if the record's is unreadable
 */
public record ClientJson(
        String client,
        String node,
        Instant connectedAt,
        @Nullable String session,
        @Nullable Long generation,
        @Nullable String metadata) {

    /** Made once: the static methods look for their provider each time. */
    private static final JsonBuilderFactory JSON = Json.createBuilderFactory(Map.of());

    static ClientJson of(ClientRecord found) {
        return new ClientJson(
                found.clientId(),
                Long.toString(found.node()),
                Instant.ofEpochMilli(found.connectedAt()),
                found.session(),
                found.session() == null ? null : found.generation(),
                JsonText.isStoredObject(found.metadata()) ? found.metadata() : null);
    }

    String text() {
        JsonObjectBuilder json = JSON.createObjectBuilder()
                .add("client", client)
                .add("node", node)
                .add("connectedAt", JsonShapes.time(connectedAt));
        if (session != null) {
            json.add("session", session);
        }
        if (generation != null) {
            json.add("generation", generation);
        }
        String text = json.build().toString();
        return metadata == null ? text : text.substring(0, text.length() - 1) + ",\"metadata\":" + metadata + "}";
    }

    /**
     * A page of clients, perhaps with fewer than were asked for though more follow.
     *
     * @param next leads to the following page; null on the last
     */
    public record Page(List<ClientJson> items, @Nullable String next) {
        static Page of(ClientPage found) {
            return new Page(found.clients().stream().map(ClientJson::of).toList(), found.next());
        }

        String text() {
            StringBuilder text = new StringBuilder("{\"items\":[");
            for (int i = 0; i < items.size(); i++) {
                text.append(i == 0 ? "" : ",").append(items.get(i).text());
            }
            text.append(']');
            if (next != null) {
                text.append(",\"next\":").append(Json.createValue(next));
            }
            return text.append('}').toString();
        }
    }
}
