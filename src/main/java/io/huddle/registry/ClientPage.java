package io.huddle.registry;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a listing. Immutable. Shards come one after the other, within a shard clients come in the order of their ids'
 * bytes; a client that is there all the time is listed exactly once.
 *
 * @param next where to go on, opaque; null at the end
 */
public record ClientPage(
        List<ClientRecord> clients, @Nullable String next) {
    public ClientPage {
        clients = List.copyOf(clients);
    }
}
