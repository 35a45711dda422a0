package io.huddle.registry;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Where a client id lies: the CRC-32C (Castagnoli) of its UTF-8 bytes, taken as unsigned, modulo the number of shards. Every
 * node and every release must agree, since two nodes that looked in different shards would both own the client. Immutable
 * and pure.
 */
public final class Shards {
    private final int count;

    /** @param count at least one, and the same for as long as the registry lives */
    public Shards(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a registry has at least one shard");
        }
        this.count = count;
    }

    /** How many shards there are, numbered from zero. */
    public int count() {
        return count;
    }

    public int of(String clientId) {
        CRC32C sum = new CRC32C();
        sum.update(clientId.getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() % count);
    }
}
