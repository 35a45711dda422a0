package io.huddle.mesh;

import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryUnavailable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Chunks of orphaned clients that wait to be told of. Safe for use by any thread. What answers with a stage does not block;
 * the others wait for a bounded time and then throw {@link RegistryUnavailable}.
 */
interface OrphanQueue {
    /** The next chunk that is due, held from now on; empty if nothing is due, or if this node cannot prove its lease. */
    Optional<OrphanChunk> claim();

    /** Goes on holding the chunk; false if the claim is lost. */
    boolean renew(OrphanChunk chunk);

    /** The chunk was delivered and goes; false if the claim is lost. */
    boolean acknowledge(OrphanChunk chunk);

    /**
     * The chunk was not delivered and is due again after the delay.
     *
     * @param countsAsTry false if the chunk is not to blame
     * @return false if the claim is lost
     */
    CompletionStage<Boolean> giveBack(OrphanChunk chunk, long delayMs, boolean countsAsTry);

    /** At most so many chunks, for an operator. */
    List<OrphanChunk> list(int limit);

    /** Gives a chunk that was set aside its tries back; false if there is none of this id. */
    boolean retry(String chunk);

    CompletionStage<OrphanAccount> account();
}
