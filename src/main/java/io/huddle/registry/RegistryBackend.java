package io.huddle.registry;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the records of who is connected where. Safe for use by any thread; every operation is atomic for the client id, the
 * shard or the chunk that it concerns, and returns without blocking.
 *
 * <p>Each operation either answers or fails exceptionally with {@link RegistryUnavailable}. After such a failure of a write
 * nobody knows whether it happened: ask again with the same warrant, which has the same effect once, or revoke it. Times
 * are milliseconds on the registry's own clock, never on a node's.
 *
 * <p>Rules of every write, judged in this order: a shard whose epoch is another (or that has none while the registry has
 * one) answers {@code OTHER_EPOCH}; a warrant whose number is in the shard's dead set answers {@code WRITER_DEAD}; a
 * warrant past its {@code notAfter}, or more than a day before it, or whose operation was revoked by {@link #abortClaim} or {@link #removeClaimResult},
 * answers {@code TOO_LATE}. A shard that has no epoch yet answers {@code OTHER_EPOCH}.
 *
 * <p>An absence is told by shards in the registry's epoch alone. A lookup that finds nothing (of {@link #getClient}: nothing
 * active) and a listing fail with {@link RegistryUnavailable} where no epoch has begun, or where the epoch ended with a part
 * of the data, until the next has begun; a lookup that finds something answers there too.
 *
 * <p>Names are made from operations, so that who lost an answer still knows them: the mark of a registered record, the id of a
 * claim (and by it the mark of its record) and the token of a claimed chunk are the operation id of the warrant under which
 * they came to be.
 *
 * <p>Retries: until its {@code notAfter} a shard remembers every register, reserve, activate, unregister, updateMetadata,
 * ack, nack and retry that had an effect, by method, client id or chunk id, and operation id. The same again (a retry, or a
 * copy that was long under way) has no further effect. It answers {@code OK} with the record as it is now, or {@code
 * NOT_OWNER} if this connection's record went meanwhile; unregister answers {@code OK}; the orphan operations answer true.
 * A claim is opened at most once by one operation: if it is not open any more, the same again answers {@code TOO_LATE}.
 * The other writes have the same effect however often they come.
 *
 * <p>Arguments that cannot be, such as a client id without 1 to 1,024 bytes of UTF-8 or metadata above 64 KiB, are refused at
 * once, by an {@link IllegalArgumentException} that the call itself throws.
 *
 * <p>Source: the rules of the mesh's registry.
 */
public interface RegistryBackend {
    /** True for what may be a client id: 1 to 1,024 bytes of UTF-8. Of anything else there is no record. */
    static boolean isClientId(String text) {
        return Bounds.isClientId(text);
    }

    Set<Capability> capabilities();

    /** The registry's clock now. */
    CompletionStage<Long> time();

    /**
     * Records an active connection. Never takes an id from another connection.
     *
     * <p>No record: made, unless an open claim has a higher or the same order ({@code NEWER_EXISTS}, {@code CONFLICT}); a
     * claim with a lower order is dropped. A record of the same node, process and connection: rewritten, keeping its mark,
     * connectedAt and, when {@code order} is zero, its order; a given order that is lower than its own answers {@code
     * NEWER_EXISTS}, and one that is higher than an open claim's drops the claim. A registration without an order cannot be higher than an open claim: {@code CONFLICT}, as with the same
     * order. A record of another connection: {@code NEWER_EXISTS} if its
     * order is higher, or the same with a greater connection id (by the bytes of their UTF-8); else {@code CONFLICT}, to be
     * settled by a claim. A corrupt record answers {@code CORRUPT}.
     */
    CompletionStage<Written> register(Warrant warrant, Registration registration);

    /** The same with a pending record. */
    CompletionStage<Written> reserve(Warrant warrant, Registration registration);

    /**
     * Makes the pending record of exactly this connection active, with this metadata; of an active one only the metadata is
     * written. {@code NOT_OWNER} if the record is gone or another's.
     */
    CompletionStage<Written> activate(Warrant warrant, String clientId, String connectionId, String metadata);

    /**
     * Removes the record of exactly this connection, and this connection's own open claim. {@code OK} if it was removed now,
     * {@code NOT_OWNER} if there is none or another's, though the claim may have gone. A corrupt record is removed if {@code ownCorrupt}, by which its node
     * says that it wrote the last good one for this id.
     */
    CompletionStage<Written> unregister(Warrant warrant, String clientId, String connectionId, boolean ownCorrupt);

    /** Replaces the metadata of exactly this connection's record. {@code NOT_OWNER} if it is gone or another's. */
    CompletionStage<Written> updateMetadata(Warrant warrant, String clientId, String connectionId, String metadata);

    /** The active record, if there is one that can be read. */
    CompletionStage<Optional<ClientRecord>> getClient(String clientId);

    /** The record, active or pending, and the open claim, at one instant. */
    CompletionStage<Sight> getClientIncludingPending(String clientId);

    /** All active records, page by page inside. For tests and small registries. */
    CompletionStage<List<ClientRecord>> listClients();

    /**
     * At most {@code limit} active records from the cursor on; possibly fewer though more follow.
     *
     * @param cursor of the page before, empty at first
     * @throws IllegalArgumentException if the cursor is none of this registry's
     */
    CompletionStage<ClientPage> listClientsPage(String cursor, int limit);

    /** All active records of one node. For tests and small registries. */
    CompletionStage<List<ClientRecord>> listClientsForNode(long node);

    /** The same, page by page. */
    CompletionStage<ClientPage> listClientsForNodePage(long node, String cursor, int limit);

    /** Everything recorded for one node, pending included, page by page: what the node compares its streams with. */
    CompletionStage<ClientPage> listRecordsOfNode(long node, String cursor, int limit);

    /**
     * Removes everything of a node whose number will not write again, and gives the active clients removed. Enters the
     * number in each shard's dead set first. For a node that leaves in order.
     */
    CompletionStage<List<ClientRecord>> cleanupNode(long node);

    /**
     * Claims the id: a private intention, which leaves the record as it is. An open claim answers {@code CLAIMED} again to
     * the same operation with the same content, {@code BUSY} to the same operation with another; a claim with a higher
     * order replaces one with a lower, and the same order answers {@code BUSY}. A lapsed claim, or one of a number in the
     * dead set, is as none, also for {@link #getClientIncludingPending}. Orders are compared with record and claim,
     * where a registration without an order answers {@code BUSY} to any open claim; then a record of another connection with the same
     * order (for a registration without an order: any) answers {@code CONFLICT}, unless {@code supersede}, or its mark is
     * {@code goneMark}, or its node is {@code deadNode} or in the dead set.
     */
    CompletionStage<Claimed> claim(Warrant warrant, ClaimRequest request);

    /**
     * Puts the claimed record in place if the captured record is exactly as it was, or gone. The new record's mark is the
     * claim's id. Only the claimant's node and process may commit.
     */
    CompletionStage<Committed> commitClaim(Warrant warrant, String clientId, String claim);

    /**
     * Drops the open claim, and revokes the operation that made it until its {@code notAfter} or this warrant's, whichever is
     * later: a late resend of it has no effect. {@code OK} also if it is not open (not yet, or not any more), where only
     * this warrant's counts; {@code NOT_OWNER} if it is another node's or process's. Never touches a record.
     */
    CompletionStage<Written> abortClaim(Warrant warrant, String clientId, String claim);

    /**
     * Removes the generation that the open claim captured, even if it has changed meanwhile; never another. {@code OK} if it
     * is gone, {@code NOT_OWNER} if the claim is not open or another generation is there.
     */
    CompletionStage<Written> removeClaimPrevious(Warrant warrant, String clientId, String claim);

    /**
     * Removes the record that this claim put in place, and the claim; revokes its operation as {@link #abortClaim} does.
     * {@code OK} if neither is there any more, another generation's record included; {@code NOT_OWNER} if they are another
     * node's or process's.
     */
    CompletionStage<Written> removeClaimResult(Warrant warrant, String clientId, String claim);

    /**
     * One bounded step of removing a dead node's records; to be repeated until done. Enters the number in every shard's dead
     * set before it removes anything there; active clients become chunks of the orphan queue in the same atomic step,
     * pending ones and claims vanish. A part is a chunk's clients with the pending ones among them, until those
     * have 256 KiB: it goes as a whole or, without room, stays as a whole. Other shards' parts go on. A corrupt record is nobody's and stays.
     *
     * @param most records a step
     */
    CompletionStage<Cleanup> cleanupNodeAndEnqueueOrphaned(long node, int most);

    /**
     * Claims a chunk for {@link RegistryLimits#orphanClaimMs}; counts a try. A chunk whose tries are used up is set aside
     * instead, unless there is no room for it there: then it goes on as before. Within a shard, what has been due for
     * longest comes first. Empty if nothing is due, or if this writer may not write. A chunk that this operation has claimed
     * and still holds is the answer again.
     */
    CompletionStage<Optional<OrphanChunk>> claimOrphaned(Warrant warrant);

    /**
     * Goes on holding the claimed chunk, up to five minutes from its claim; false if it is another's by now. Here and below a
     * claim that has run out is still one's own as long as nobody else has taken the chunk.
     */
    CompletionStage<Boolean> renewOrphaned(Warrant warrant, OrphanChunk chunk);

    /** The chunk was delivered: it goes. False if the claim is another's by now. */
    CompletionStage<Boolean> ackOrphaned(Warrant warrant, OrphanChunk chunk);

    /**
     * The chunk was not delivered: it can be claimed again after the delay.
     *
     * @param countsAsTry false if a dependency was away, which says nothing about the chunk
     * @return false if the claim is another's by now
     */
    CompletionStage<Boolean> nackOrphaned(Warrant warrant, OrphanChunk chunk, long delayMs, boolean countsAsTry);

    /** Chunks that wait, are claimed or set aside, oldest first in each shard, for an operator. */
    CompletionStage<List<OrphanChunk>> listOrphaned(int limit);

    /** Gives a chunk set aside its tries back; false if there is none of this id, or no room for it in the queue. */
    CompletionStage<Boolean> retryOrphaned(Warrant warrant, String chunkId);

    CompletionStage<OrphanAccount> orphanAccount();

    /**
     * For backends without a durable queue: removes everything of a node and gives its active clients, in one atomic step,
     * or nothing if they are more than one item or have more bytes than are left.
     */
    CompletionStage<Cleanup.Snapshot> cleanupNodeForFallback(long node, int maxItems, long maxBytes);

    /** Keeps the node's records from lapsing by the registry's own safety limit of 24 hours. */
    CompletionStage<Written> refreshNode(Warrant warrant);

    /**
     * Uses a nonce once for all nodes.
     *
     * @param timestamp milliseconds, what the client says the time is
     */
    CompletionStage<NonceUse> consumeNonce(String epoch, String clientId, String nonce, long timestamp);

    /**
     * Begins this epoch in every shard that has none or an older one, keeping the records; for the node that found a new
     * registry. A shard's epoch only ever moves to what the membership says, and never back to one that it has left. Where
     * it moves, nonces are refused from now on if they are older than this moment.
     *
     * @return fails with an {@link IllegalStateException}, which says what to change, if this node is set so that it must not
     *     write here
     */
    CompletionStage<Void> beginEpoch(String epoch);
}
