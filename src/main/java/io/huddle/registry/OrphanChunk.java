package io.huddle.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Clients that a dead node left behind, claimed by one node to be told of. Immutable.
 *
 * @param id the chunk's, unique
 * @param shard where it lies
 * @param node the dead node's number
 * @param token proves this claim; an acknowledgement with another is refused. Null in a listing
 * @param tries how often it has been claimed, this time included
 * @param since milliseconds on the registry's clock: when it was put there
 * @param bytes its accounted size
 * @param setAside true for a dead letter
 * @param clients as their records were
 */
public record OrphanChunk(
        String id,
        int shard,
        long node,
        @Nullable String token,
        int tries,
        long since,
        long bytes,
        boolean setAside,
        List<ClientRecord> clients) {
    public OrphanChunk {
        clients = List.copyOf(clients);
    }
}
