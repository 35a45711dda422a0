package io.huddle.registry;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** A fresh registry in its first epoch, three nodes that write to it, and short words for what they do. */
final class RegistryScene {
    static final String EPOCH = "epoch-1";
    static final String META = "{\"a\":1}";

    /** Few shards, so that many clients share one and several are used; what must not lapse by itself does not. */
    static final RegistryLimits LIMITS =
            new RegistryLimits(4, 30_000, 4_096, 64L << 20, 128 << 10, 256, 30_000, 10, 1_024, 90_000, 30_000);

    /** Long enough that a slow machine gets through a few steps, short enough to wait for on a real clock. */
    static final long SHORT_MS = 600;

    static final RegistryLimits SHORT_CLAIMS =
            new RegistryLimits(4, SHORT_MS, 4_096, 64L << 20, 128 << 10, 256, SHORT_MS, 3, 1_024, SHORT_MS, 30_000);

    static final Writer N1 = new Writer(1_001, "process-1");
    static final Writer N2 = new Writer(1_002, "process-2");
    static final Writer N3 = new Writer(1_003, "process-3");

    /** A node's number and process. */
    record Writer(long node, String process) {}

    final RegistryBackend backend;
    private final LongConsumer passes;
    private final AtomicInteger operations = new AtomicInteger();

    /** @param passes returns when so many milliseconds have passed on the registry's clock */
    RegistryScene(RegistryBackend backend, LongConsumer passes) {
        this.backend = backend;
        this.passes = passes;
        done(backend.beginEpoch(EPOCH));
    }

    static <T> T done(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException | TimeoutException failed) {
            throw new AssertionError("no answer", failed);
        } catch (ExecutionException failed) {
            throw new AssertionError("the operation failed", failed.getCause());
        }
    }

    void passes(long ms) {
        passes.accept(ms);
    }

    long now() {
        return done(backend.time());
    }

    Warrant warrant(Writer writer) {
        return warrant(writer, now() + 60_000);
    }

    Warrant warrant(Writer writer, long notAfter) {
        String operation = "operation-%06d-%d".formatted(operations.incrementAndGet(), writer.node());
        return new Warrant(writer.node(), writer.process(), EPOCH, operation, notAfter);
    }

    static Warrant inEpoch(Warrant warrant, String epoch) {
        return new Warrant(warrant.node(), warrant.process(), epoch, warrant.operation(), warrant.notAfter());
    }

    static Registration unordered(String clientId, String connectionId) {
        return ordered(clientId, connectionId, 0);
    }

    static Registration ordered(String clientId, String connectionId, long order) {
        return new Registration(clientId, connectionId, order, null, 0, List.of(), 0, META);
    }

    Written register(Writer writer, Registration registration) {
        return done(backend.register(warrant(writer), registration));
    }

    Written reserve(Writer writer, Registration registration) {
        return done(backend.reserve(warrant(writer), registration));
    }

    Written activate(Writer writer, String clientId, String connectionId) {
        return done(backend.activate(warrant(writer), clientId, connectionId, META));
    }

    Written unregister(Writer writer, String clientId, String connectionId) {
        return done(backend.unregister(warrant(writer), clientId, connectionId, false));
    }

    Written update(Writer writer, String clientId, String connectionId, String metadata) {
        return done(backend.updateMetadata(warrant(writer), clientId, connectionId, metadata));
    }

    Sight sight(String clientId) {
        return done(backend.getClientIncludingPending(clientId));
    }

    ClientRecord record(String clientId) {
        ClientRecord record = sight(clientId).record();
        if (record == null) {
            throw new AssertionError("no record of " + clientId);
        }
        return record;
    }

    /** The record of an answer that has to have one. */
    static ClientRecord recordOf(Written written) {
        return Objects.requireNonNull(written.record(), () -> "no record with " + written.status());
    }

    boolean isVisible(String clientId) {
        return done(backend.getClient(clientId)).isPresent();
    }

    /** Asks for an id without leave to supersede. */
    static ClaimRequest asking(Registration registration) {
        return new ClaimRequest(registration, ClientRecord.State.PENDING, false, null, 0);
    }

    static ClaimRequest superseding(Registration registration) {
        return new ClaimRequest(registration, ClientRecord.State.PENDING, true, null, 0);
    }

    Claimed claim(Writer writer, ClaimRequest request) {
        return done(backend.claim(warrant(writer), request));
    }

    /** Opens a claim and answers its id. */
    String claimed(Writer writer, ClaimRequest request) {
        Claimed claimed = claim(writer, request);
        String id = claimed.claim();
        if (claimed.status() != Claimed.Status.CLAIMED || id == null) {
            throw new AssertionError("not claimed: " + claimed.status());
        }
        return id;
    }

    Committed commit(Writer writer, String clientId, String claim) {
        return done(backend.commitClaim(warrant(writer), clientId, claim));
    }

    Written abort(Writer writer, String clientId, String claim) {
        return done(backend.abortClaim(warrant(writer), clientId, claim));
    }

    Written removePrevious(Writer writer, String clientId, String claim) {
        return done(backend.removeClaimPrevious(warrant(writer), clientId, claim));
    }

    Written removeResult(Writer writer, String clientId, String claim) {
        return done(backend.removeClaimResult(warrant(writer), clientId, claim));
    }
}
