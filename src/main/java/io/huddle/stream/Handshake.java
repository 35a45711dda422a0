package io.huddle.stream;

import io.huddle.security.Identity;
import java.util.Map;
import java.util.Set;

/**
 * A handshake that passed: who it is and what it asked for. Immutable.
 *
 * @param clientId the session's id for a participant, the key's id for a service or device
 * @param streamId the id the client chose for this connection; not unique
 * @param protocol 1 to 4
 * @param appVersion what the client says of itself, empty without
 * @param supersede true if an older connection of this client id is to make way
 * @param metadata the remaining parameters of the query, in the order of arrival
 */
public record Handshake(
        Identity identity,
        String clientId,
        String streamId,
        int protocol,
        String appVersion,
        boolean supersede,
        Set<String> capabilities,
        Map<String, String> metadata) {
    public Handshake {
        capabilities = Set.copyOf(capabilities);
        metadata = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(metadata));
    }

    /** The order of a participant's connections is its generation; other clients have none. */
    public long order() {
        return identity instanceof Identity.Participant participant ? participant.generation() : 0;
    }
}
