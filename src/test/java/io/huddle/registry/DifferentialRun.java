package io.huddle.registry;

import static io.huddle.registry.RegistryScene.done;

import io.huddle.registry.DifferentialSteps.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * One random sequence of operations, done on the model and on another backend, whose answers must be alike. Names are alike
 * by themselves, since marks, claims and tokens are operation ids.
 *
 * <p>Time. The model's clock is set to the other's before each step, so that they differ by a few milliseconds if the
 * other's is real. Steps come in rounds that are short against the life of a claim (0.2 of it at most), and between rounds
 * 0.6 of it passes. What was made in the round before is then 0.6 to 1.0 of a life old and open, what is older has lapsed
 * (1.2), and nothing is ever so close to its end that the few milliseconds could matter.
 */
final class DifferentialRun {
    /** The life of a claim, a chunk's claim and a nonce. */
    static final long LIFE_MS = 2_500;

    /** Two clients to a chunk and four chunks to a shard, so that few clients fill the queue. */
    static final RegistryLimits LIMITS =
            new RegistryLimits(2, LIFE_MS, 8, 1 << 20, 1 << 20, 2, LIFE_MS, 3, 1_000, LIFE_MS, 30_000);

    private static final int STEPS_OF_ROUND = 80;
    private static final int TOLD = 40;

    private final long seed;
    private final Random random;
    private final DifferentialSteps steps;
    private final AtomicLong modelClock;
    private final RegistryBackend model;
    private final RegistryBackend other;
    private final LongConsumer passes;
    private final Consumer<String> corrupts;

    /** What was done lately, to be done again, and what was made and held back, to arrive late. */
    private final List<Step> history = new ArrayList<>();

    private final List<Step> delayed = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final Deque<String> told = new ArrayDeque<>();
    private final Map<String, Integer> seen = new TreeMap<>();
    private long roundBegan;
    private long epochBegan;
    private int nonces;

    /** A chunk that was claimed in both. */
    private record Held(OrphanChunk inModel, OrphanChunk inOther) {}

    /** @param corrupts makes a record unreadable in both; does nothing where that cannot be done */
    DifferentialRun(
            long seed,
            AtomicLong modelClock,
            RegistryBackend model,
            RegistryBackend other,
            LongConsumer passes,
            Consumer<String> corrupts) {
        this.seed = seed;
        this.random = new Random(seed);
        this.steps = new DifferentialSteps(random);
        this.modelClock = modelClock;
        this.model = model;
        this.other = other;
        this.passes = passes;
        this.corrupts = corrupts;
    }

    /**
     * Goes through so many rounds, fewer if the machine stands still for too long.
     *
     * @return how often each answer was seen, so that a test can tell that something was tested
     */
    Map<String, Integer> run(int rounds) {
        epochBegan = synchronise();
        begin(steps.epoch());
        for (int round = 0; round < rounds; round++) {
            roundBegan = synchronise();
            for (int i = 0; i < STEPS_OF_ROUND && synchronise() - roundBegan < LIFE_MS * 15 / 100; i++) {
                step();
            }
            compareStates();
            if (synchronise() - roundBegan > LIFE_MS * 2 / 10) {
                // From here on the two clocks could tell different stories.
                break;
            }
            passes.accept(LIFE_MS * 6 / 10);
        }
        return seen;
    }

    private long synchronise() {
        modelClock.set(done(other.time()));
        return modelClock.get();
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 20 && !history.isEmpty()) {
            // The answer was lost, or a copy was long under way.
            perform(history.get(history.size() - 1 - random.nextInt(Math.min(history.size(), 60))));
        } else if (dice < 25 && !delayed.isEmpty()) {
            perform(delayed.remove(random.nextInt(delayed.size())));
        } else if (dice < 78) {
            Step next = steps.next(modelClock.get(), roundBegan);
            history.add(next);
            if (random.nextInt(12) == 0) {
                delayed.add(next);
            } else {
                perform(next);
            }
        } else if (dice < 83) {
            nonce();
        } else if (dice < 95) {
            orphans();
        } else if (dice < 97) {
            endNode();
        } else if (dice < 98) {
            epoch();
        } else {
            corrupt();
        }
    }

    private Warrant warrant() {
        return steps.warrant(modelClock.get(), roundBegan);
    }

    private void perform(Step step) {
        Object answer = same(step.told(), step.run());
        String outcome = step.told().substring(0, step.told().indexOf(' '));
        if (answer instanceof Written written) {
            outcome += " " + written.status();
            Optional.ofNullable(written.record()).ifPresent(steps::saw);
        } else if (answer instanceof Claimed claimed) {
            outcome += " " + claimed.status();
        } else if (answer instanceof Committed committed) {
            outcome += " " + committed.status();
        }
        seen.merge(outcome, 1, Integer::sum);
    }

    /** Does the same in both, and answers what the model answered. */
    private <T> T same(String what, Function<RegistryBackend, ? extends CompletionStage<? extends T>> operation) {
        T ofModel = done(operation.apply(model));
        T ofOther = done(operation.apply(other));
        compare(what, Alike.of(ofModel), Alike.of(ofOther));
        return ofModel;
    }

    private void compare(String what, String ofModel, String ofOther) {
        told.addLast(what + "\n      = " + ofModel);
        if (told.size() > TOLD) {
            told.removeFirst();
        }
        if (!ofModel.equals(ofOther)) {
            throw new AssertionError("seed " + seed + ": the answers differ\n    " + String.join("\n    ", told)
                    + "\n  but of the other backend:\n      = " + ofOther);
        }
    }

    private void nonce() {
        long now = modelClock.get();
        long[] times = {now, now, now, now, now - 60_000, now + 60_000, now - 5_000, now - 20_000};
        long time = times[random.nextInt(times.length)];
        if (time != now && Math.abs(time - epochBegan) < 1_000) {
            return;
        }
        String client = steps.someClient();
        String nonce = "nonce-" + (nonces++ - random.nextInt(6));
        String epoch = random.nextInt(10) == 0 ? steps.someEpoch() : steps.epoch();
        NonceUse use = same("nonce " + client + " " + nonce, on -> on.consumeNonce(epoch, client, nonce, time));
        seen.merge("nonce " + use, 1, Integer::sum);
    }

    private void epoch() {
        if (random.nextBoolean()) {
            epochBegan = modelClock.get();
            begin(steps.nextEpoch());
        } else {
            // Of a node that slept: it never leads back.
            begin(steps.someEpoch());
        }
    }

    private void begin(String epoch) {
        same("begin " + epoch, on -> on.beginEpoch(epoch).thenApply(nothing -> "begun"));
        seen.merge("begin", 1, Integer::sum);
    }

    private void corrupt() {
        String client = steps.someClient();
        if (random.nextInt(4) == 0
                && done(model.getClientIncludingPending(client)).record() != null) {
            told.addLast("corrupt " + client);
            corrupts.accept(client);
            seen.merge("corrupt", 1, Integer::sum);
        }
    }

    // Nodes and what they leave.

    private void endNode() {
        long node = steps.endOne();
        if (random.nextInt(4) == 0) {
            compareUnordered("cleanupNode " + node, on -> on.cleanupNode(node));
            seen.merge("cleanupNode", 1, Integer::sum);
        } else {
            cleanUp(node);
        }
    }

    /** Until nothing more goes, since how much goes in a step is each backend's own. */
    private void cleanUp(long node) {
        String cleanup = cleanedUp(model, node);
        compare("cleanup " + node, cleanup, cleanedUp(other, node));
        seen.merge("cleanup " + cleanup.substring(cleanup.indexOf(' ') + 1), 1, Integer::sum);
    }

    private static String cleanedUp(RegistryBackend on, long node) {
        int orphans = 0;
        Cleanup step;
        do {
            step = done(on.cleanupNodeAndEnqueueOrphaned(node, 1_000));
            orphans += step.orphans();
        } while (!step.done() && !(step.full() && step.orphans() == 0));
        return orphans + (step.done() ? " done" : " full");
    }

    private void orphans() {
        switch (random.nextInt(8)) {
            case 0, 1 -> claimAllChunks();
            case 2 -> withHeld("ack", (on, by, chunk) -> on.ackOrphaned(by, chunk));
            case 3 -> withHeld("nack", (on, by, chunk) -> on.nackOrphaned(by, chunk, 0, true));
            case 4 -> withHeld("nack later", (on, by, chunk) -> on.nackOrphaned(by, chunk, LIFE_MS * 45 / 100, false));
            case 5 -> withHeld("renew", (on, by, chunk) -> on.renewOrphaned(by, chunk));
            case 6 -> retryOne();
            default -> cleanUp(1_000 + random.nextInt(3));
        }
    }

    /** All that is due: which of several comes first is each backend's own. */
    private void claimAllChunks() {
        List<OrphanChunk> inModel = new ArrayList<>();
        List<OrphanChunk> inOther = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Warrant by = warrant();
            done(model.claimOrphaned(by)).ifPresent(inModel::add);
            done(other.claimOrphaned(by)).ifPresent(inOther::add);
        }
        compare("claim all chunks", Alike.unordered(inModel), Alike.unordered(inOther));
        for (OrphanChunk chunk : inModel) {
            String content = Alike.of(chunk);
            inOther.stream()
                    .filter(one -> Alike.of(one).equals(content))
                    .findFirst()
                    .ifPresent(one -> held.add(new Held(chunk, one)));
        }
        seen.merge("chunks claimed", inModel.size(), Integer::sum);
    }

    @FunctionalInterface
    private interface WithChunk {
        CompletionStage<Boolean> apply(RegistryBackend on, Warrant by, OrphanChunk chunk);
    }

    /** With one of the claims of late, which may be another's by now; once more with the same warrant now and then. */
    private void withHeld(String name, WithChunk operation) {
        if (held.isEmpty()) {
            return;
        }
        Held one = held.get(held.size() - 1 - random.nextInt(Math.min(held.size(), 6)));
        Warrant by = warrant();
        boolean did = same(
                name + " " + Alike.of(one.inModel()) + " by " + by,
                on -> operation.apply(on, by, on == model ? one.inModel() : one.inOther()));
        seen.merge(name + " " + did, 1, Integer::sum);
        if (random.nextInt(3) == 0) {
            same(name + " again", on -> operation.apply(on, by, on == model ? one.inModel() : one.inOther()));
        }
    }

    private void retryOne() {
        Optional<OrphanChunk> aside = done(model.listOrphaned(1_000)).stream()
                .filter(OrphanChunk::setAside)
                .findFirst();
        if (aside.isEmpty()) {
            return;
        }
        String content = Alike.of(aside.get());
        Optional<OrphanChunk> inOther = done(other.listOrphaned(1_000)).stream()
                .filter(one -> Alike.of(one).equals(content))
                .findFirst();
        Warrant by = warrant();
        boolean did = same(
                "retry " + content,
                on -> on.retryOrphaned(
                        by,
                        on == model
                                ? aside.get().id()
                                : inOther.map(OrphanChunk::id).orElse("none")));
        seen.merge("retry " + did, 1, Integer::sum);
    }

    // What there is.

    private void compareStates() {
        for (String client : DifferentialSteps.CLIENTS) {
            same("sight " + client, on -> on.getClientIncludingPending(client));
            same("client " + client, on -> on.getClient(client));
        }
        int limit = 1 + random.nextInt(4);
        compare("pages", walked(model, limit), walked(other, limit));
        compareUnordered("chunks", on -> on.listOrphaned(1_000));
        same("account", RegistryBackend::orphanAccount);
    }

    private void compareUnordered(
            String what, Function<RegistryBackend, ? extends CompletionStage<? extends List<?>>> operation) {
        compare(what, Alike.unordered(done(operation.apply(model))), Alike.unordered(done(operation.apply(other))));
    }

    private static String walked(RegistryBackend on, int limit) {
        List<ClientRecord> all = new ArrayList<>();
        String cursor = "";
        while (cursor != null) {
            ClientPage page = done(on.listClientsPage(cursor, limit));
            all.addAll(page.clients());
            cursor = page.next();
        }
        return Alike.of(all);
    }
}
