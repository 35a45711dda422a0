package io.huddle.registry;

/**
 * The bounds of a registry. Immutable.
 *
 * @param shards how many parts it has; the same on all nodes
 * @param claimMs how long a claim stays open
 * @param orphanItems chunks over all shards; each shard may hold its share exactly
 * @param orphanBytes bytes over all shards; each shard may hold its share exactly
 * @param chunkBytes at which a chunk is cut; one client alone may be larger
 * @param chunkClients at which a chunk is cut
 * @param orphanClaimMs how long a chunk stays claimed unless renewed
 * @param orphanTries after which a chunk is set aside
 * @param deadLetters chunks set aside over all shards; each shard may hold its share exactly
 * @param nonceMs how long a nonce is remembered
 * @param clockDriftMs how far a handshake's time may be from the registry's clock
 */
public record RegistryLimits(
        int shards,
        long claimMs,
        int orphanItems,
        long orphanBytes,
        int chunkBytes,
        int chunkClients,
        long orphanClaimMs,
        int orphanTries,
        int deadLetters,
        long nonceMs,
        long clockDriftMs) {
    public static final RegistryLimits DEFAULT =
            new RegistryLimits(64, 30_000, 4_096, 64L << 20, 128 << 10, 256, 30_000, 10, 1_024, 90_000, 30_000);

    public RegistryLimits {
        if (shards < 1 || orphanItems < shards || orphanBytes < shards || deadLetters < 0) {
            throw new IllegalArgumentException("a registry has shards, and each of them has room");
        }
    }

    /** Chunks that wait or are claimed in one shard. */
    public int orphanItemsOfShard() {
        return orphanItems / shards;
    }

    /** Bytes of those. */
    public long orphanBytesOfShard() {
        return orphanBytes / shards;
    }

    /** Chunks set aside in one shard. */
    public int deadLettersOfShard() {
        return deadLetters / shards;
    }
}
