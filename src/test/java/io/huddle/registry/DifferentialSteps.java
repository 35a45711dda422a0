package io.huddle.registry;

import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.RegistryScene.Writer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Makes up random operations on few clients by few nodes, most of which have something to do with each other. */
final class DifferentialSteps {
    static final List<String> CLIENTS = List.of("alice", "bob", "carol", "dave", "eve", "zoë");

    private final Random random;
    private final List<Writer> writers = new ArrayList<>();
    private final List<Writer> ghosts = new ArrayList<>();
    private final List<String> epochs = new ArrayList<>();

    /** The warrants of the latest claims of a client, whatever became of them. */
    private final Map<String, List<Warrant>> claims = new HashMap<>();

    /** The latest record that was seen of a client: its owner goes on with it, and a claim may say that it is gone. */
    private final Map<String, ClientRecord> records = new HashMap<>();

    private long nextNode = 1_000;
    private int nextOperation;

    /** An operation with all its arguments; the same however often it is done. */
    record Step(String told, Function<RegistryBackend, CompletionStage<?>> run) {}

    DifferentialSteps(Random random) {
        this.random = random;
        for (int i = 0; i < 3; i++) {
            writers.add(nextWriter());
        }
        nextEpoch();
    }

    private Writer nextWriter() {
        return new Writer(nextNode++, "process-" + random.nextInt(1_000));
    }

    String nextEpoch() {
        epochs.add("epoch-" + epochs.size());
        return epoch();
    }

    String epoch() {
        return epochs.get(epochs.size() - 1);
    }

    String someEpoch() {
        return pick(epochs);
    }

    String someClient() {
        return pick(CLIENTS);
    }

    void saw(ClientRecord record) {
        records.put(record.clientId(), record);
    }

    /** One of the nodes dies and another takes its place; the dead one goes on writing now and then. */
    long endOne() {
        Writer dead = writers.remove(random.nextInt(writers.size()));
        ghosts.add(dead);
        writers.add(nextWriter());
        return dead.node();
    }

    /** Mostly in order, sometimes of a dead node, another process, an old epoch, or too late. */
    Warrant warrant(long now, long roundBegan) {
        return warrant(!ghosts.isEmpty() && random.nextInt(20) == 0 ? pick(ghosts) : pick(writers), now, roundBegan);
    }

    private Warrant warrant(Writer by, long now, long roundBegan) {
        String process = random.nextInt(25) == 0 ? "another-process" : by.process();
        String epoch = random.nextInt(25) == 0 ? pick(epochs) : epoch();
        long notAfter = now + 600_000;
        int dice = random.nextInt(20);
        if (dice == 0) {
            notAfter = now - 1_000;
        } else if (dice < 4) {
            // Over when the next round begins.
            notAfter = roundBegan + DifferentialRun.LIFE_MS * 4 / 10;
        }
        return new Warrant(by.node(), process, epoch, "operation-%08d".formatted(nextOperation++), notAfter);
    }

    Step next(long now, long roundBegan) {
        String client = someClient();
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> registration(client, warrant(now, roundBegan));
            case 3, 4, 5, 6, 7, 8 -> ofOwner(client, now, roundBegan);
            case 9, 10, 11, 12, 13, 14 -> ofClaimant(client, now, roundBegan);
            case 15 -> {
                Warrant by = warrant(now, roundBegan);
                yield step("refresh", by, "", on -> on.refreshNode(by));
            }
            default -> claim(warrant(now, roundBegan), given(client, someConnection()));
        };
    }

    private String someConnection() {
        return "c" + random.nextInt(4);
    }

    private Registration given(String client, String connection) {
        return new Registration(
                client,
                connection,
                random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(6),
                random.nextBoolean() ? null : "session-" + client,
                random.nextInt(3),
                random.nextBoolean() ? List.of() : List.of("blue", "red"),
                0,
                metadata());
    }

    private String metadata() {
        return "{\"n\":" + random.nextInt(1_000) + ",\"l\":[]}";
    }

    private Step registration(String client, Warrant by) {
        Registration registration = given(client, someConnection());
        return random.nextBoolean()
                ? step("register", by, registration, on -> on.register(by, registration))
                : step("reserve", by, registration, on -> on.reserve(by, registration));
    }

    /** Mostly by the one whose record was seen last, and of its connection. */
    private Step ofOwner(String client, long now, long roundBegan) {
        ClientRecord record = random.nextInt(4) == 0 ? null : records.get(client);
        Warrant by = record == null
                ? warrant(now, roundBegan)
                : warrant(new Writer(record.node(), record.process()), now, roundBegan);
        String connection = record == null ? someConnection() : record.connectionId();
        String metadata = metadata();
        boolean ownCorrupt = random.nextInt(3) == 0;
        String told = client + " " + connection;
        return switch (random.nextInt(8)) {
            case 0, 1 -> step("activate", by, told, on -> on.activate(by, client, connection, metadata));
            case 2, 3 -> step("update", by, told, on -> on.updateMetadata(by, client, connection, metadata));
            case 4, 5 -> {
                Registration again = given(client, connection);
                yield step("register", by, again, on -> on.register(by, again));
            }
            default ->
                step(
                        "unregister",
                        by,
                        told + " " + ownCorrupt,
                        on -> on.unregister(by, client, connection, ownCorrupt));
        };
    }

    /** Mostly by the one who made one of the latest claims. */
    private Step ofClaimant(String client, long now, long roundBegan) {
        List<Warrant> known = claims.getOrDefault(client, List.of());
        if (known.isEmpty()) {
            return registration(client, warrant(now, roundBegan));
        }
        Warrant claiming = known.get(known.size() - 1 - random.nextInt(Math.min(known.size(), 3)));
        Warrant by = random.nextInt(6) == 0
                ? warrant(now, roundBegan)
                : warrant(new Writer(claiming.node(), claiming.process()), now, roundBegan);
        String claim = claiming.operation();
        String told = client + " " + claim;
        return switch (random.nextInt(6)) {
            case 0 -> step("abort", by, told, on -> on.abortClaim(by, client, claim));
            case 1 -> step("removePrevious", by, told, on -> on.removeClaimPrevious(by, client, claim));
            case 2 -> step("removeResult", by, told, on -> on.removeClaimResult(by, client, claim));
            default -> step("commit", by, told, on -> on.commitClaim(by, client, claim));
        };
    }

    private Step claim(Warrant by, Registration registration) {
        String client = registration.clientId();
        // From now on it is known to whoever commits or gives up, also if the claim itself arrives late or never.
        claims.computeIfAbsent(client, none -> new ArrayList<>()).add(by);
        long deadNode =
                random.nextInt(10) == 0 && !ghosts.isEmpty() ? pick(ghosts).node() : 0;
        ClientRecord seen = records.get(client);
        ClaimRequest request = new ClaimRequest(
                registration,
                random.nextBoolean() ? State.ACTIVE : State.PENDING,
                random.nextBoolean(),
                random.nextInt(4) == 0 && seen != null ? seen.mark() : null,
                deadNode == by.node() ? 0 : deadNode);
        return step("claim", by, request, on -> on.claim(by, request));
    }

    private static Step step(
            String name, Warrant by, Object arguments, Function<RegistryBackend, CompletionStage<?>> run) {
        return new Step(name + " " + arguments + " by " + by, run);
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
