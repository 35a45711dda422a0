package io.huddle.link;

import io.huddle.link.wire.Hello;
import io.huddle.membership.NodeInfo;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Who may open a link to this node. Safe for use by any thread that may block, for a few seconds at most.
 *
 * <p>First what costs nothing, last what uses something up: the secret, a place among the handshakes, the clock and the
 * signature, the membership's word, the room, the nonce. Whoever does not know the group's secret makes nobody wait and
 * asks nothing of the database. A refusal never says why.
 */
final class Gate {
    private static final Logger LOG = Logger.getLogger(Gate.class.getName());
    private static final int RESOLVE_MS = 1_000;
    static final int FORBIDDEN = 403;
    private static final int FULL = 503;

    private final Proofs proofs;
    private final Supplier<Optional<Self>> self;
    private final Directory directory;
    private final Room room;
    private final Pins pins;
    private final SeenNonces nonces;
    private final LongSupplier wallClock;
    private final Supplier<byte[]> random;
    private final Semaphore places;

    /** What the membership knows of a number. */
    @FunctionalInterface
    interface Directory {
        CompletionStage<Optional<NodeInfo>> node(long number);
    }

    /** Whether one more link of a peer would be admitted. */
    @FunctionalInterface
    interface Room {
        boolean hasRoom(long number, String process);
    }

    /**
     * The judgement of an upgrade.
     *
     * @param status zero if it may go on
     * @param welcome the answer's header
     * @param ends who the two are; its pin is held and to be released with the link
     */
    record Judgement(int status, String welcome, Link.@Nullable Ends ends) {
        private static Judgement refused(int status) {
            return new Judgement(status, "", null);
        }
    }

    /**
     * @param wallClock milliseconds, for the time of a proof
     * @param places handshakes under way at a time
     */
    Gate(
            Proofs proofs,
            Supplier<Optional<Self>> self,
            Directory directory,
            Room room,
            Pins pins,
            SeenNonces nonces,
            LongSupplier wallClock,
            Supplier<byte[]> random,
            int places) {
        this.proofs = proofs;
        this.self = self;
        this.directory = directory;
        this.room = room;
        this.pins = pins;
        this.nonces = nonces;
        this.wallClock = wallClock;
        this.random = random;
        this.places = new Semaphore(places);
    }

    Judgement judge(@Nullable String header) {
        Optional<Hello> hello = header == null ? Optional.empty() : Proofs.decodeHello(header);
        Optional<Self> me = self.get();
        if (hello.isEmpty()) {
            return refused("header");
        }
        if (me.isEmpty()) {
            return Judgement.refused(FULL);
        }
        Optional<Proofs.Judged> judged = proofs.judge(hello.get(), me.get());
        if (judged.isEmpty()) {
            return refused("secret");
        }
        if (!places.tryAcquire()) {
            return Judgement.refused(FULL);
        }
        try {
            if (!proofs.isProven(judged.get(), wallClock.getAsLong())) {
                return refused("proof");
            }
            return isMember(judged.get()) ? admitted(judged.get(), me.get()) : refused("membership");
        } finally {
            places.release();
        }
    }

    /** The key is the one that the membership publishes for the number; asked anew for each handshake. */
    private boolean isMember(Proofs.Judged judged) {
        Optional<NodeInfo> known;
        try {
            known = directory
                    .node(judged.hello().getNumber())
                    .toCompletableFuture()
                    .get(RESOLVE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException | RuntimeException unknown) {
            LOG.log(Level.FINE, "a node's key could not be looked up", unknown);
            return false;
        }
        return known.filter(node -> node.number() == judged.hello().getNumber()
                        && node.process().equals(judged.hello().getProcess())
                        && node.linkKey().equals(judged.key()))
                .isPresent();
    }

    private Judgement admitted(Proofs.Judged judged, Self me) {
        Hello hello = judged.hello();
        if (!room.hasRoom(hello.getNumber(), hello.getProcess())) {
            return Judgement.refused(FULL);
        }
        Pins.Hold hold = pins.hold(hello.getNumber(), hello.getProcess(), judged.key());
        if (hold != Pins.Hold.HELD) {
            return hold == Pins.Hold.FULL ? Judgement.refused(FULL) : refused("pin");
        }
        String nonce = hello.getNumber() + ":"
                + Base64.getEncoder().encodeToString(hello.getNonce().toByteArray());
        SeenNonces.Use use = nonces.use(nonce);
        if (use != SeenNonces.Use.FIRST) {
            pins.release(hello.getNumber());
            return use == SeenNonces.Use.FULL ? Judgement.refused(FULL) : refused("nonce");
        }
        Link.Ends ends =
                new Link.Ends(me.number(), hello.getNumber(), hello.getProcess(), hello.getProcess(), judged.version());
        String welcome = Proofs.encode(proofs.welcome(judged, me, wallClock.getAsLong(), random.get()));
        return new Judgement(0, welcome, ends);
    }

    /** Why stays here: who is refused learns nothing. */
    private static Judgement refused(String part) {
        LOG.log(Level.FINE, "a node''s handshake was refused for its {0}", part);
        return Judgement.refused(FORBIDDEN);
    }
}
