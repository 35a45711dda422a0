package io.huddle.mesh;

import io.huddle.registry.ClientPage;
import io.huddle.registry.ClientRecord;
import io.huddle.web.JsonShapes;
import io.huddle.web.JsonText;
import java.time.Instant;
import java.util.List;
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
        StringBuilder text = new StringBuilder();
        write(text);
        return text.toString();
    }

    private void write(StringBuilder to) {
        JsonText.quote(to.append("{\"client\":"), client);
        JsonText.quote(to.append(",\"node\":"), node);
        JsonText.quote(to.append(",\"connectedAt\":"), JsonShapes.time(connectedAt));
        if (session != null) {
            JsonText.quote(to.append(",\"session\":"), session);
        }
        if (generation != null) {
            to.append(",\"generation\":").append(generation);
        }
        if (metadata != null) {
            to.append(",\"metadata\":").append(metadata);
        }
        to.append('}');
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
                text.append(i == 0 ? "" : ",");
                items.get(i).write(text);
            }
            text.append(']');
            if (next != null) {
                JsonText.quote(text.append(",\"next\":"), next);
            }
            return text.append('}').toString();
        }
    }
}
