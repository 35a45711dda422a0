package io.huddle.registry;

import java.util.List;

/**
 * One step of removing what a dead node left. Immutable.
 *
 * @param done true if nothing of the node is left in any shard and every shard refuses its number
 * @param full true if the orphan queue had no room: nothing of that part was removed, try again later
 * @param orphans how many active clients this step put into the queue
 */
public record Cleanup(boolean done, boolean full, int orphans) {
    /**
     * What {@link RegistryBackend#cleanupNodeForFallback} removed.
     *
     * @param refused true if the snapshot would exceed what was allowed: nothing was removed
     * @param clients the active clients that were removed
     */
    public record Snapshot(boolean refused, List<ClientRecord> clients) {
        public Snapshot {
            clients = List.copyOf(clients);
        }
    }
}
