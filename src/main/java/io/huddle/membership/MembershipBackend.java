package io.huddle.membership;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where the nodes meet. Safe for use by any thread; every operation is atomic and returns without blocking; a failure is a
 * {@link io.huddle.registry.RegistryUnavailable}. Times are milliseconds on the store's clock.
 */
public interface MembershipBackend {
    /** True if other processes meet here, or may have met here before this one; then an absence needs time to prove. */
    boolean isShared();

    /**
     * Takes a fresh number: the greater of the last one + 1 and the store's time. Writes the epoch if there is none. The
     * answer may come later than any other's, so that a number that nobody waits for any more can be given back.
     *
     * @param leaseMs how long the membership lasts without a renewal
     * @param node what is published of the node; its number is the one given back, and where it says no start, that is now
     */
    CompletionStage<Joined> join(NodeInfo node, long leaseMs);

    /** Renews number and process together; {@link Renewal#refused()} if they are no member any more, for good. */
    CompletionStage<Renewal> renew(long number, String process, long leaseMs);

    /** Replaces what is published of a node that is a member; false if it is none. */
    CompletionStage<Boolean> publish(NodeInfo node);

    /** Leaves in order, which is like death without an obligation; idempotent. */
    CompletionStage<Void> leave(long number, String process);

    /** The members whose lease has not ended, by number. */
    CompletionStage<List<NodeInfo>> members();

    /** The member of this number, whether or not its lease has ended; empty once it left or was declared dead. */
    CompletionStage<Optional<NodeInfo>> member(long number);

    /**
     * Moves every member whose lease has ended to the dead, for good; at most so many, those whose lease ended first, and
     * answers them. None where the store is not the one on which the epoch began: its leases may be old.
     */
    CompletionStage<List<Long>> declareDead(int most);

    /**
     * The numbers whose remains are still to be removed; claims the one that has been free for the longest, for
     * {@code claimMs}, so that not everybody does the same work. Empty if there is none unclaimed.
     *
     * @param by chosen for this claim alone, so that a late acknowledgement cannot end another's
     */
    CompletionStage<Optional<Long>> claimCleanup(String by, long claimMs);

    /** The remains of the number are removed everywhere: forget the obligation. False if the claim is another's by now. */
    CompletionStage<Boolean> acknowledgeCleanup(long number, String by);

    /**
     * Makes an epoch the current one in place of the one that the caller knew; answers the current one afterwards. In a new
     * epoch every lease that is known runs anew, since renewals may be among what was lost.
     *
     * @param known what the caller took for current
     */
    CompletionStage<Epoch> renewEpoch(String known);

    /**
     * Looks whether every part of the store is still the one on which the epoch began, and begins another if one was
     * replaced; answers the current one. Whoever knew the epoch before has to ask every few seconds.
     *
     * @param known what the caller took for current; if it is not, nothing is looked at
     */
    CompletionStage<Epoch> verifyEpoch(String known);

    /** Sends a text to all nodes, this one included; best effort. */
    CompletionStage<Void> publish(String channel, String text);

    /** Hears what is sent from now on, also after the connection was lost and came back. */
    CompletionStage<AutoCloseable> subscribe(String channel, Consumer<String> hears);
}
