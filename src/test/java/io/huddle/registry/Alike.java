package io.huddle.registry;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers of two backends in a form in which they can be compared: times are times and not which, chunks are what is in them
 * and not how they are called. All else has to be the same to the letter.
 */
final class Alike {
    /** Orders and times that a clock gave lie between these; the ones that the steps give do not. */
    private static final long FIRST_TIME = 1_000_000_000_000L;

    private static final long LAST_TIME = 9_000_000_000_000L;

    private Alike() {}

    static String of(Object answer) {
        if (answer instanceof Written written) {
            return written.status() + " " + record(written.record());
        }
        if (answer instanceof Committed committed) {
            return committed.status() + " " + record(committed.record());
        }
        if (answer instanceof Claimed claimed) {
            return claimed.status() + " " + claimed.claim() + " " + time(claimed.order()) + " "
                    + record(claimed.previous()) + " " + claimed.busyNode();
        }
        if (answer instanceof Sight sight) {
            return record(sight.record()) + " " + sight.corrupt() + " " + sight.claim() + " " + sight.claimNode();
        }
        if (answer instanceof ClientRecord record) {
            return record(record);
        }
        if (answer instanceof OrphanChunk chunk) {
            return chunk.node() + " " + chunk.shard() + " " + chunk.tries() + " " + chunk.setAside() + " "
                    + of(chunk.clients());
        }
        if (answer instanceof OrphanAccount account) {
            return account.items() + " " + account.deadLetters() + " " + account.redeliveries() + " "
                    + time(account.oldest());
        }
        if (answer instanceof List<?> list) {
            return list.stream().map(Alike::of).toList().toString();
        }
        if (answer instanceof Optional<?> optional) {
            return optional.map(Alike::of).orElse("nothing");
        }
        return String.valueOf(answer);
    }

    /** For lists in whose order backends are free. */
    static String unordered(List<?> list) {
        return list.stream()
                .map(Alike::of)
                .sorted(Comparator.naturalOrder())
                .toList()
                .toString();
    }

    private static String record(@Nullable ClientRecord record) {
        if (record == null) {
            return "none";
        }
        return new ClientRecord(
                        record.clientId(),
                        record.node(),
                        record.process(),
                        record.connectionId(),
                        record.state(),
                        timeless(record.order()),
                        record.session(),
                        record.generation(),
                        record.teams(),
                        timeless(record.connectedAt()),
                        record.mark(),
                        record.revision(),
                        record.metadata())
                .toString();
    }

    private static String time(long value) {
        return timeless(value) == value ? String.valueOf(value) : "a time";
    }

    private static long timeless(long value) {
        return value > FIRST_TIME && value < LAST_TIME ? FIRST_TIME : value;
    }
}
