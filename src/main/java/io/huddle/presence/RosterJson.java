package io.huddle.presence;

import java.time.Instant;
import java.util.List;

/**
 * Who is in a room, on the wire.
 *
 * @param seq of the last event that this roster includes
 * @param asOf the database's clock
 */
public record RosterJson(String room, long seq, Instant asOf, String stage, List<SessionJson> entries) {
    /** The validator for caches: what changes a reader's picture, which the mere lengthening of a lease does not. */
    String etag() {
        int hash = entries.stream()
                .map(entry -> entry.session() + entry.generation() + entry.state())
                .toList()
                .hashCode();
        return seq + "-" + stage + "-" + Integer.toHexString(hash);
    }
}
