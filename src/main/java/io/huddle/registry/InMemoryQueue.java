package io.huddle.registry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The orphan chunks of one shard. Not safe for use by several threads; the registry's lock guards it. */
final class InMemoryQueue {
    /** However often a claim is renewed, it ends so long after it was made. */
    static final long LONGEST_CLAIM_MS = 300_000;

    private final RegistryLimits limits;
    private final int shard;

    /** In the order in which they came. */
    private final Map<String, Chunk> chunks = new LinkedHashMap<>();

    private long made;
    private long redeliveries;

    InMemoryQueue(RegistryLimits limits, int shard) {
        this.limits = limits;
        this.shard = shard;
    }

    /** What a chunk is at this moment; what of it never changes is in its clients. */
    private static final class Chunk {
        final String id;
        final long node;
        final long since;
        final long bytes;
        final List<ClientRecord> clients;

        /** When nobody holds it: from when on it may be claimed. */
        long due;

        int tries;
        boolean delivered;
        boolean setAside;

        @Nullable
        String token;

        long claimedAt;
        long claimedUntil;

        Chunk(String id, long node, long since, long bytes, List<ClientRecord> clients) {
            this.id = id;
            this.node = node;
            this.since = since;
            this.bytes = bytes;
            this.clients = clients;
            this.due = since;
        }

        long claimableAt() {
            return token == null ? due : claimedUntil;
        }

        void free(long dueAt) {
            token = null;
            due = dueAt;
        }
    }

    boolean hasRoomFor(long bytes) {
        return count(false) < limits.orphanItemsOfShard() && bytes() + bytes <= limits.orphanBytesOfShard();
    }

    void add(long node, List<ClientRecord> clients, long bytes, long now) {
        String id = shard + "-" + node + "-" + made++;
        chunks.put(id, new Chunk(id, node, now, bytes, List.copyOf(clients)));
    }

    /** What this operation has claimed before and still holds. */
    Optional<OrphanChunk> claimedBy(String operation) {
        return chunks.values().stream()
                .filter(chunk -> operation.equals(chunk.token))
                .map(chunk -> shown(chunk, operation))
                .findFirst();
    }

    Optional<OrphanChunk> claim(String operation, long now) {
        for (Chunk chunk : due(now)) {
            if (chunk.tries >= limits.orphanTries() && count(true) < limits.deadLettersOfShard()) {
                chunk.free(now);
                chunk.setAside = true;
                continue;
            }
            if (chunk.delivered) {
                redeliveries++;
            }
            chunk.delivered = true;
            chunk.tries++;
            chunk.token = operation;
            chunk.claimedAt = now;
            chunk.claimedUntil = now + limits.orphanClaimMs();
            return Optional.of(shown(chunk, operation));
        }
        return Optional.empty();
    }

    private List<Chunk> due(long now) {
        List<Chunk> due = new ArrayList<>();
        for (Chunk chunk : chunks.values()) {
            if (!chunk.setAside && chunk.claimableAt() <= now) {
                due.add(chunk);
            }
        }
        // The sort is stable: of those due at once, the one that came first.
        due.sort(Comparator.comparingLong(Chunk::claimableAt));
        return due;
    }

    /** The chunk, if this is still its claim. */
    private @Nullable Chunk held(OrphanChunk claimed) {
        Chunk chunk = chunks.get(claimed.id());
        return chunk != null && chunk.token != null && chunk.token.equals(claimed.token()) ? chunk : null;
    }

    boolean renew(OrphanChunk claimed, long now) {
        Chunk chunk = held(claimed);
        if (chunk == null || now >= chunk.claimedAt + LONGEST_CLAIM_MS) {
            return false;
        }
        chunk.claimedUntil = Math.min(now + limits.orphanClaimMs(), chunk.claimedAt + LONGEST_CLAIM_MS);
        return true;
    }

    boolean acknowledge(OrphanChunk claimed) {
        Chunk chunk = held(claimed);
        return chunk != null && chunks.remove(chunk.id) != null;
    }

    boolean giveBack(OrphanChunk claimed, long now, long delayMs, boolean countsAsTry) {
        Chunk chunk = held(claimed);
        if (chunk == null) {
            return false;
        }
        if (!countsAsTry) {
            chunk.tries--;
        }
        chunk.free(now + delayMs);
        return true;
    }

    boolean retry(String id, long now) {
        Chunk chunk = chunks.get(id);
        if (chunk == null || !chunk.setAside || !hasRoomFor(chunk.bytes)) {
            return false;
        }
        chunk.setAside = false;
        chunk.tries = 0;
        chunk.free(now);
        return true;
    }

    List<OrphanChunk> list() {
        return chunks.values().stream().map(chunk -> shown(chunk, null)).toList();
    }

    OrphanAccount account(long now) {
        long oldest = 0;
        for (Chunk chunk : chunks.values()) {
            if (!chunk.setAside) {
                oldest = chunk.since;
                break;
            }
        }
        return new OrphanAccount(count(false), bytes(), oldest, count(true), redeliveries, now);
    }

    private int count(boolean setAside) {
        int count = 0;
        for (Chunk chunk : chunks.values()) {
            if (chunk.setAside == setAside) {
                count++;
            }
        }
        return count;
    }

    private long bytes() {
        long bytes = 0;
        for (Chunk chunk : chunks.values()) {
            bytes += chunk.setAside ? 0 : chunk.bytes;
        }
        return bytes;
    }

    private OrphanChunk shown(Chunk chunk, @Nullable String token) {
        return new OrphanChunk(
                chunk.id,
                shard,
                chunk.node,
                token,
                chunk.tries,
                chunk.since,
                chunk.bytes,
                chunk.setAside,
                chunk.clients);
    }
}
