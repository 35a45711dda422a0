package io.huddle.membership;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The members as they were a moment ago. Presence is believed for a second, absence never. Safe for use by any thread. */
final class Neighbours {
    private static final long FRESH_MS = 1_000;

    private record Seen(Map<Long, NodeInfo> nodes, long atNanos) {}

    private final MembershipBackend backend;
    private final Alarms alarms;
    private final Clocks clocks;
    private final Duration patience;
    private volatile Seen seen;

    Neighbours(MembershipBackend backend, Alarms alarms, Clocks clocks, Terms terms) {
        this.backend = backend;
        this.alarms = alarms;
        this.clocks = clocks;
        this.patience = Duration.ofMillis(terms.leaseMs());
        this.seen = new Seen(
                Map.of(), clocks.nanos().getAsLong() - Duration.ofDays(1).toNanos());
    }

    CompletionStage<List<NodeInfo>> all() {
        long asked = clocks.nanos().getAsLong();
        return alarms.within(patience, backend::members).thenApply(nodes -> {
            seen = new Seen(nodes.stream().collect(Collectors.toMap(NodeInfo::number, Function.identity())), asked);
            return nodes;
        });
    }

    CompletionStage<Optional<NodeInfo>> find(long number) {
        Seen last = seen;
        NodeInfo node = last.nodes().get(number);
        if (node != null && clocks.elapsedMs(last.atNanos()) <= FRESH_MS) {
            return CompletableFuture.completedFuture(Optional.of(node));
        }
        return alarms.within(patience, () -> backend.member(number));
    }

    /** How many there were when last seen, this node included. */
    int count() {
        return seen.nodes().size();
    }
}
