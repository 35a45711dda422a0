package io.huddle.mesh;

import io.huddle.registry.Cleanup;
import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryBackend;
import io.huddle.web.Ids;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The queue for registries without one: in this node's memory, bounded in items, bytes and time, and gone with the process.
 *
 * <p>A dead node's clients are one item however many they are. Each is kept as text, so that what a handler does to what it
 * was given changes neither the next delivery nor the account. An item that has expired is gone at once, even if a handler
 * still has it; what that handler then says concerns its own item and no other, also none of the same dead node.
 */
final class LocalOrphans implements OrphanQueue {
    private static final Logger LOG = Logger.getLogger(LocalOrphans.class.getName());

    /** The bounds. */
    record Bounds(int items, long bytes, Duration life) {
        static final Bounds DEFAULT = new Bounds(1_024, 16L << 20, Duration.ofHours(1));
    }

    private static final class Item {
        final String id = Ids.make('o');
        final long node;
        final String text;
        final long bytes;
        final long since;
        long due;
        int tries;

        @Nullable
        String token;

        Item(long node, String text, long bytes, long now) {
            this.node = node;
            this.text = text;
            this.bytes = bytes;
            this.since = now;
            this.due = now;
        }

        OrphanChunk chunk(@Nullable String shown) {
            return new OrphanChunk(id, 0, node, shown, tries, since, bytes, false, RecordText.records(text));
        }
    }

    private final RegistryBackend registry;
    private final Bounds bounds;

    /** Milliseconds that only grow. */
    private final LongSupplier clock;

    private final AtomicBoolean admitting = new AtomicBoolean();

    /** In the order of their coming; guarded by this. */
    private final Map<String, Item> items = new LinkedHashMap<>();

    private long bytes;
    private long redeliveries;

    LocalOrphans(RegistryBackend registry, Bounds bounds, LongSupplier clock) {
        this.registry = registry;
        this.bounds = bounds;
        this.clock = clock;
    }

    /**
     * Removes a dead node's records and keeps what has to be told of them. One at a time, so that two do not spend the same
     * room.
     *
     * @return false if there is no room now, or another is being admitted: nothing was removed, ask again later
     */
    boolean admit(long node) {
        if (!admitting.compareAndSet(false, true)) {
            return false;
        }
        try {
            Room room = room();
            Cleanup.Snapshot snapshot = Answers.of(registry.cleanupNodeForFallback(node, room.items(), room.bytes()));
            if (!snapshot.refused() && !snapshot.clients().isEmpty()) {
                keep(node, RecordText.of(snapshot.clients()));
            }
            return !snapshot.refused();
        } finally {
            admitting.set(false);
        }
    }

    private record Room(int items, long bytes) {}

    private synchronized Room room() {
        expire();
        return new Room(Math.max(0, bounds.items() - items.size()), Math.max(0, bounds.bytes() - bytes));
    }

    private synchronized void keep(long node, String text) {
        Item item = new Item(node, text, text.getBytes(StandardCharsets.UTF_8).length, clock.getAsLong());
        items.put(item.id, item);
        bytes += item.bytes;
    }

    @Override
    public synchronized Optional<OrphanChunk> claim() {
        expire();
        long now = clock.getAsLong();
        for (Item item : items.values()) {
            if (item.token == null && item.due <= now) {
                item.token = Ids.make('t');
                item.tries++;
                redeliveries += item.tries > 1 ? 1 : 0;
                return Optional.of(item.chunk(item.token));
            }
        }
        return Optional.empty();
    }

    @Override
    public synchronized boolean renew(OrphanChunk chunk) {
        expire();
        return held(chunk) != null;
    }

    @Override
    public synchronized boolean acknowledge(OrphanChunk chunk) {
        expire();
        Item item = held(chunk);
        if (item != null) {
            items.remove(item.id);
            bytes -= item.bytes;
        }
        return item != null;
    }

    @Override
    public synchronized CompletionStage<Boolean> giveBack(OrphanChunk chunk, long delayMs, boolean countsAsTry) {
        expire();
        Item item = held(chunk);
        if (item != null) {
            item.token = null;
            item.due = clock.getAsLong() + delayMs;
            item.tries -= countsAsTry ? 0 : 1;
        }
        return CompletableFuture.completedFuture(item != null);
    }

    @Override
    public synchronized List<OrphanChunk> list(int limit) {
        expire();
        return items.values().stream()
                .limit(limit)
                .map(item -> item.chunk(null))
                .toList();
    }

    /** Nothing is ever set aside here: an item that always fails expires. */
    @Override
    public boolean retry(String chunk) {
        return false;
    }

    @Override
    public synchronized CompletionStage<OrphanAccount> account() {
        expire();
        long oldest = items.values().stream()
                .mapToLong(item -> item.since)
                .findFirst()
                .orElse(0);
        return CompletableFuture.completedFuture(
                new OrphanAccount(items.size(), bytes, oldest, 0, redeliveries, clock.getAsLong()));
    }

    private @Nullable Item held(OrphanChunk chunk) {
        Item item = items.get(chunk.id());
        return item != null && item.token != null && item.token.equals(chunk.token()) ? item : null;
    }

    private void expire() {
        long before = clock.getAsLong() - bounds.life().toMillis();
        int gone = 0;
        for (Iterator<Item> all = items.values().iterator(); all.hasNext(); ) {
            Item item = all.next();
            if (item.since > before) {
                break;
            }
            all.remove();
            bytes -= item.bytes;
            gone++;
        }
        if (gone > 0) {
            LOG.log(Level.WARNING, "{0} dead nodes'' clients were never told of: they waited for too long", gone);
        }
    }
}
