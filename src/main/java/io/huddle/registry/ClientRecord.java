package io.huddle.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the registry knows of one client id. Immutable.
 *
 * @param node the owner's number
 * @param process the owner's process id
 * @param state pending records are hidden from lookups, listings and calls
 * @param order a write with a lower order never replaces this record
 * @param connectedAt milliseconds on the registry's clock
 * @param mark made once when the record came to be, by a registration or a committed claim, and the same until it goes:
 *     tells this generation from another that happens to have the same node and connection
 * @param revision counts every change of this record from 1 on; mark and revision together are its exact image
 * @param metadata as it was given, byte for byte
 */
public record ClientRecord(
        String clientId,
        long node,
        String process,
        String connectionId,
        State state,
        long order,
        @Nullable String session,
        long generation,
        List<String> teams,
        long connectedAt,
        String mark,
        long revision,
        String metadata) {
    public ClientRecord {
        teams = List.copyOf(teams);
    }

    /** Whether the connection may be seen and called. */
    public enum State {
        PENDING,
        ACTIVE
    }

    public boolean isActive() {
        return state == State.ACTIVE;
    }

    /** True if the other is this very generation, whatever of it has changed since. */
    public boolean isSameGeneration(ClientRecord other) {
        return clientId.equals(other.clientId) && mark.equals(other.mark);
    }
}
