package io.huddle.membership;

import io.huddle.registry.Warrant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * This node among the others: joins, renews every 3 s, knows until when its lease is safe, declares the dead. Safe for use
 * by any thread.
 *
 * <p>Safe until the send time of the last successful renewal + lease − 500 ms, where elapsed time is the larger of the
 * monotonic and the wall clock's. Past it the node delivers nothing and answers nothing as owner.
 */
public class Membership {
    /** This node's lease, as far as it can be proven at this instant. */
    public record Lease(long number, String process, Epoch epoch) {}

    /** The lease, empty as soon as it cannot be proven. Reads clocks and no store. */
    public Optional<Lease> lease() {
        throw new UnsupportedOperationException();
    }

    /** True if the lease is safe and the epoch is older than one lease, or this is the only life the store ever had here. */
    public boolean mayDeliver() {
        throw new UnsupportedOperationException();
    }

    /** A warrant for a new operation of this node, good for so long; empty without a safe lease. */
    public Optional<Warrant> warrant(Duration validity) {
        throw new UnsupportedOperationException();
    }

    /** The member of this number, from a cache of a second or so; empty once it is none any more. */
    public CompletionStage<Optional<NodeInfo>> node(long number) {
        throw new UnsupportedOperationException();
    }

    /** The live members. */
    public CompletionStage<List<NodeInfo>> nodes() {
        throw new UnsupportedOperationException();
    }

    /**
     * True if the number is proven to be dead or to have left, by the store and never from a cache; false also while the
     * epoch is too young to prove an absence.
     */
    public CompletionStage<Boolean> isGone(long number) {
        throw new UnsupportedOperationException();
    }

    /** Nothing of this dead number is left anywhere; false if the obligation is another node's by now. */
    public CompletionStage<Boolean> cleaned(long number) {
        throw new UnsupportedOperationException();
    }

    /** Sends to all nodes, this one included unless skipped; JSON of at most 1 MiB. */
    public CompletionStage<Void> broadcast(String type, String json, boolean skipSelf) {
        throw new UnsupportedOperationException();
    }

    /** Hears broadcasts of a type. */
    public void onBroadcast(String type, Consumer<Broadcast> handler) {
        throw new UnsupportedOperationException();
    }

    /** One broadcast as it arrived; {@code json} is the same text on every node. */
    public record Broadcast(String type, String json, long sender) {}
}
