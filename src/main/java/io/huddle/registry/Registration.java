package io.huddle.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection as its node wants it recorded. Immutable.
 *
 * @param clientId 1 to 1,024 bytes of UTF-8
 * @param connectionId made by the node, unique, never empty
 * @param order greater than zero if it is known: a participant's generation, or what the registry once assigned. Zero asks
 *     the registry for the greater of its clock in milliseconds and the existing order + 1
 * @param session set by the server for a participant, null otherwise
 * @param generation a participant's generation, zero otherwise
 * @param teams the teams that may see this client, sorted
 * @param connectedAt milliseconds on the registry's clock, or zero for now
 * @param metadata a JSON object, at most 64 KiB of UTF-8; kept byte for byte and never looked into
 */
public record Registration(
        String clientId,
        String connectionId,
        long order,
        @Nullable String session,
        long generation,
        List<String> teams,
        long connectedAt,
        String metadata) {
    public Registration {
        teams = List.copyOf(teams);
        if (connectionId.isEmpty()) {
            throw new IllegalArgumentException("a connection has an id");
        }
    }
}
