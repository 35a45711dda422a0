package io.huddle.mesh;

import io.huddle.registry.ClientRecord;
import java.util.List;

/**
 * Clients that a dead node left behind and that have not registered again since. Fired synchronously, on a thread that may
 * wait for the database.
 *
 * <p>At least once: an observer that throws sees these clients again, and so may one that did not, on this node or on
 * another; it is to be idempotent. A failure that {@link io.huddle.store.Failure} does not call a defect says nothing about
 * the clients and is repeated without an end; any other is repeated ten times.
 *
 * @param node the dead node's number
 * @param clients as their records were, at least one
 */
public record NodeClientsOrphaned(long node, List<ClientRecord> clients) {
    public NodeClientsOrphaned {
        clients = List.copyOf(clients);
    }
}
