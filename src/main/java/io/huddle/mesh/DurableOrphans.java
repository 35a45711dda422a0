package io.huddle.mesh;

import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.registry.Warrant;
import io.huddle.web.Ids;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The registry's own queue, which outlives every node.
 *
 * <p>A claim is given back in the name that it was made in: after the lease was lost there is no other, and after the node
 * has joined again it has another number. The claim's token is what keeps that exact.
 */
final class DurableOrphans implements OrphanQueue {
    /** As long as a claim. What was sent before the lease was lost and arrives after it touches this claim only. */
    private static final Duration VALIDITY = Duration.ofSeconds(30);

    private final RegistryBackend registry;
    private final Warrants warrants;

    /** The last warrant of each claim that is held here, by its token; as many as there are deliveries. */
    private final Map<String, Warrant> held = new ConcurrentHashMap<>();

    DurableOrphans(RegistryBackend registry, Warrants warrants) {
        this.registry = registry;
        this.warrants = warrants;
    }

    @Override
    public Optional<OrphanChunk> claim() {
        Optional<Warrant> warrant = warrants.next(VALIDITY);
        if (warrant.isEmpty()) {
            return Optional.empty();
        }
        Optional<OrphanChunk> chunk = Answers.of(Answers.twice(() -> registry.claimOrphaned(warrant.get())));
        chunk.ifPresent(one -> held.put(token(one), warrant.get()));
        return chunk;
    }

    @Override
    public boolean renew(OrphanChunk chunk) {
        Optional<Warrant> warrant = current(chunk);
        if (warrant.isEmpty()) {
            return false;
        }
        // In one step, so that it does not bring back what is given back meanwhile.
        held.computeIfPresent(token(chunk), (token, before) -> warrant.get());
        return Answers.of(Answers.twice(() -> registry.renewOrphaned(warrant.get(), chunk)));
    }

    @Override
    public boolean acknowledge(OrphanChunk chunk) {
        Optional<Warrant> warrant = current(chunk);
        held.remove(token(chunk));
        return warrant.isPresent() && Answers.of(Answers.twice(() -> registry.ackOrphaned(warrant.get(), chunk)));
    }

    @Override
    public CompletionStage<Boolean> giveBack(OrphanChunk chunk, long delayMs, boolean countsAsTry) {
        Warrant last = held.remove(token(chunk));
        if (last == null) {
            return CompletableFuture.completedFuture(false);
        }
        Warrant warrant = warrants.next(VALIDITY)
                .filter(fresh -> isSameWriter(fresh, last))
                .orElseGet(() -> again(last));
        return Answers.twice(() -> registry.nackOrphaned(warrant, chunk, delayMs, countsAsTry));
    }

    @Override
    public List<OrphanChunk> list(int limit) {
        return Answers.of(registry.listOrphaned(limit));
    }

    @Override
    public boolean retry(String chunk) {
        Warrant warrant = warrants.next(VALIDITY)
                .orElseThrow(() -> new RegistryUnavailable("this node cannot prove its lease", new Throwable()));
        return Answers.of(Answers.twice(() -> registry.retryOrphaned(warrant, chunk)));
    }

    @Override
    public CompletionStage<OrphanAccount> account() {
        return registry.orphanAccount();
    }

    /** A warrant for what is held, of the same writer; empty once the lease is lost. */
    private Optional<Warrant> current(OrphanChunk chunk) {
        Warrant last = held.get(token(chunk));
        return last == null ? Optional.empty() : warrants.next(VALIDITY).filter(fresh -> isSameWriter(fresh, last));
    }

    private static boolean isSameWriter(Warrant one, Warrant other) {
        return one.node() == other.node() && one.process().equals(other.process());
    }

    /** Another operation of a writer that gets no warrants any more. */
    private static Warrant again(Warrant last) {
        return new Warrant(last.node(), last.process(), last.epoch(), Ids.make('o'), last.notAfter());
    }

    private static String token(OrphanChunk chunk) {
        return Objects.requireNonNull(chunk.token(), "a claimed chunk has a token");
    }
}
