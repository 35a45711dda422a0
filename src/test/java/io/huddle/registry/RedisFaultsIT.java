package io.huddle.registry;

import static io.huddle.registry.RegistryScene.EPOCH;
import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.ordered;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.harness.Redis;
import io.huddle.harness.RedisCommands;
import io.huddle.redis.Reply;
import io.huddle.redis.Script;
import io.huddle.registry.Written.Status;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to the registry when something happens to its Redis, or to what is in it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisFaultsIT {
    private final Redis server = Redis.create();
    private final RedisRegistries registries = RedisRegistries.on(server);

    @AfterAll
    void stop() {
        registries.close();
        server.close();
    }

    private RegistryScene begin() {
        return new RegistryScene(registries.open(RegistryScene.LIMITS), registries::pass);
    }

    /** In a comparable system an empty list came back as an object and a big number rounded: the store had decoded them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"list\":[],\"big\":9007199254740991,\"f\":0.1234567890123456}",
                "{ \"z\" : 9223372036854775807 , \"a\":{},\"z\":-0.0, \"e\":1E400 }",
                "{\"t\":\"\\u0000 \u0000 12:34 \r\n $-1 ä 漢 \uD83D\uDE00\"}",
                ""
            })
    void metadata_ofAnyBytes_comesBackAsItWas(String metadata) {
        RegistryScene on = begin();
        on.register(N1, new Registration("alice", "c1", 0, null, 0, List.of(), 0, metadata));
        assertThat(on.record("alice").metadata()).isEqualTo(metadata);
        assertThat(RegistryScene.recordOf(on.update(N1, "alice", "c1", metadata + " "))
                        .metadata())
                .isEqualTo(metadata + " ");
        String claim = on.claimed(
                N2,
                RegistryScene.superseding(
                        new Registration("alice", "c2", 0, "12:s", 5, List.of("", "3:a", "b"), 0, metadata)));
        on.removePrevious(N2, "alice", "c1");
        ClientRecord committed =
                Objects.requireNonNull(on.commit(N2, "alice", claim).record());
        assertThat(committed.metadata()).isEqualTo(metadata);
        assertThat(committed.session()).isEqualTo("12:s");
        assertThat(committed.teams()).containsExactly("", "3:a", "b");
    }

    /** One such record dropped every client of its node from a comparable system. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"node\":1}",
                "2:h1",
                "2:h9999999999999999999:x",
                "2:h24:10019:process-12:c11:A1:11:11:m1:11:00:0:",
                "2:h14:10019:process-12:c11:X1:11:11:m1:11:00:0:",
                "2:h13:abc9:process-12:c11:A1:11:11:m1:11:00:0:",
                "2:h14:10019:process-12:c11:A1:11:11:m1:11:02:0:0: "
            })
    void record_thatIsGarbage_concernsItsClientAlone(String garbage) {
        RegistryScene on = begin();
        for (String client : List.of("alice", "bob", "carol", "dave", "eve")) {
            on.register(N1, unordered(client, "c-" + client));
        }
        try (RedisCommands commands = server.commands()) {
            commands.ask("HSET", registries.recordsOf("carol"), "carol", garbage);
        }
        assertThat(on.sight("carol").corrupt()).isTrue();
        assertThat(done(on.backend.getClient("carol"))).isEmpty();
        assertThat(on.register(N2, ordered("carol", "c2", 7)).status()).isEqualTo(Status.CORRUPT);
        assertThat(on.update(N1, "carol", "c-carol", "{}").status()).isEqualTo(Status.CORRUPT);
        assertThat(on.unregister(N1, "carol", "c-carol").status()).isEqualTo(Status.CORRUPT);
        assertThat(done(on.backend.listClients())).hasSize(4);
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 10)).clients())
                .hasSize(4);
        assertThat(on.update(N1, "bob", "c-bob", "{}").status()).isEqualTo(Status.OK);
        // The repair: its owner says that it is its own.
        assertThat(done(on.backend.unregister(on.warrant(N1), "carol", "c-carol", true))
                        .status())
                .isEqualTo(Status.OK);
        assertThat(on.register(N1, unordered("carol", "c-carol")).status()).isEqualTo(Status.OK);
        Cleanup cleanup = done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 100));
        assertThat(cleanup).isEqualTo(new Cleanup(true, false, 5));
    }

    @Test
    void shards_ofAnotherNumber_areRefusedWithBothNumbers() {
        RedisRegistry first = registries.open(RegistryScene.LIMITS);
        done(first.checkShards());
        done(first.checkShards());
        RedisRegistry second = new RedisRegistry(registries.redis(), RegistryLimits.DEFAULT);
        assertThatThrownBy(() -> done(second.checkShards()))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("has 4 shards, and this node is set to 64");
        assertThatThrownBy(() -> done(second.beginEpoch("epoch-of-another")))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("has 4 shards, and this node is set to 64");
    }

    @Test
    void keys_all_goByThemselvesWithinADay() {
        RegistryScene on = begin();
        done(registries.open(RegistryScene.LIMITS).checkShards());
        RegistryScene used =
                new RegistryScene(new RedisRegistry(registries.redis(), RegistryScene.LIMITS), registries::pass);
        assertThat(on).isNotSameAs(used);
        used.register(N1, unordered("alice", "c1"));
        used.reserve(N1, unordered("bob", "c2"));
        used.claimed(N2, RegistryScene.superseding(unordered("alice", "c3")));
        used.abort(N2, "alice", "no-such-claim-that-is-known");
        done(used.backend.consumeNonce(EPOCH, "alice", "nonce", used.now()));
        done(used.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10));
        done(used.backend.claimOrphaned(used.warrant(N2)));
        done(used.backend.beginEpoch("epoch-2"));
        try (RedisCommands commands = server.commands()) {
            List<?> keys = (List<?>) Objects.requireNonNull(
                    commands.ask("KEYS", registries.redis().key("x", "").replace("{x}:", "*")));
            assertThat(keys).hasSizeGreaterThan(15);
            for (Object key : keys) {
                assertThat((Long) commands.ask("TTL", String.valueOf(key)))
                        .as(String.valueOf(key))
                        .isBetween(0L, 86_400L);
            }
        }
    }

    /** Numbers and epochs come and go for as long as a deployment lives. */
    @Test
    void refresh_ofANode_forgetsTheDeadAndTheEpochsOfTheDayBefore() {
        RegistryScene on = begin();
        done(on.backend.cleanupNode(N2.node()));
        done(on.backend.beginEpoch("epoch-2"));
        String dead = registries.redis().key("s0", "dead");
        String left = registries.redis().key("s0", "epochs-left");
        long aDayAgo = on.now() - 86_400_000L;
        try (RedisCommands commands = server.commands()) {
            commands.ask("ZADD", dead, Long.toString(aDayAgo - 1_000), "17", Long.toString(aDayAgo + 60_000), "18");
            commands.ask("ZADD", left, Long.toString(aDayAgo - 1_000), "epoch-0");
            assertThat(done(on.backend.refreshNode(RegistryScene.inEpoch(on.warrant(N1), "epoch-2")))
                            .isOk())
                    .isTrue();
            assertThat(commands.ask("ZRANGE", dead, "0", "-1")).isEqualTo(List.of("18", Long.toString(N2.node())));
            assertThat(commands.ask("ZRANGE", left, "0", "-1")).isEqualTo(List.of(EPOCH));
        }
        assertThat(done(on.backend.register(RegistryScene.inEpoch(on.warrant(N2), "epoch-2"), unordered("alice", "c1")))
                        .status())
                .isEqualTo(Status.WRITER_DEAD);
    }

    /** A queue may be full for longer than a day; what waits outside of it has to be found afterwards. */
    @Test
    void cleanup_withoutRoom_keepsTheDeadNodesIndex() {
        RegistryScene on = new RegistryScene(registries.open(oneChunk()), registries::pass);
        on.register(N1, unordered("alice", "c1"));
        on.register(N1, unordered("bob", "c2"));
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10)))
                .isEqualTo(new Cleanup(false, true, 1));
        String index = registries.redis().key("s0", "n:" + N1.node());
        try (RedisCommands commands = server.commands()) {
            commands.ask("EXPIRE", index, "60");
            assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10)))
                    .isEqualTo(new Cleanup(false, true, 0));
            assertThat((Long) commands.ask("TTL", index)).isBetween(86_000L, 86_400L);
        }
    }

    /** Redis may evict what it likes, if it is set to. */
    @Test
    void chunk_whoseKeyHasGone_isForgottenAndItsPlaceIsFree() {
        RegistryScene on = new RegistryScene(registries.open(oneChunk()), registries::pass);
        on.register(N1, unordered("alice", "c1"));
        on.register(N1, unordered("bob", "c2"));
        on.register(N1, unordered("carol", "c3"));
        done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10));
        loseChunk(on);
        // Found by the account.
        OrphanAccount account = done(on.backend.orphanAccount());
        assertThat(List.of(account.items(), account.bytes(), account.oldest())).containsOnly(0L);
        assertThat(done(on.backend.claimOrphaned(on.warrant(N2)))).isEmpty();
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10)))
                .isEqualTo(new Cleanup(false, true, 1));
        assertThat(done(on.backend.orphanAccount()).items()).isOne();
        loseChunk(on);
        // Found by who claims.
        assertThat(done(on.backend.claimOrphaned(on.warrant(N2)))).isEmpty();
        try (RedisCommands commands = server.commands()) {
            assertThat(commands.ask("HMGET", registries.redis().key("s0", "orphans"), "items", "bytes"))
                    .isEqualTo(List.of("0", "0"));
        }
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 10)))
                .isEqualTo(new Cleanup(true, false, 1));
        loseChunk(on);
        // Found by who wants its place.
        on.register(N2, unordered("dave", "c4"));
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N2.node(), 10)))
                .isEqualTo(new Cleanup(true, false, 1));
        assertThat(done(on.backend.claimOrphaned(on.warrant(RegistryScene.N3))))
                .hasValueSatisfying(chunk -> assertThat(chunk.clients())
                        .extracting(ClientRecord::clientId)
                        .containsExactly("dave"));
    }

    private void loseChunk(RegistryScene on) {
        try (RedisCommands commands = server.commands()) {
            for (OrphanChunk chunk : done(on.backend.listOrphaned(10))) {
                assertThat(commands.ask("DEL", registries.redis().key("s0", "chunk:" + chunk.id())))
                        .isEqualTo(1L);
            }
        }
    }

    /** Seven to each of eight shards, which is more than an answer holds. */
    private RegistryScene beginWithLargeRecords() {
        RegistryLimits limits =
                new RegistryLimits(8, 30_000, 4_096, 64L << 20, 128 << 10, 256, 30_000, 10, 1_024, 90_000, 30_000);
        RegistryScene on = new RegistryScene(registries.open(limits), registries::pass);
        Shards shards = new Shards(8);
        int[] count = new int[8];
        String large = "x".repeat(60 << 10);
        for (int i = 0; IntStream.of(count).sum() < 56; i++) {
            String client = "client-" + i;
            if (count[shards.of(client)] < 7) {
                count[shards.of(client)]++;
                on.register(N1, new Registration(client, "c", 0, null, 0, List.of(), 0, large));
            }
        }
        return on;
    }

    /** An answer that is too large keeps everybody from Redis, and many of them at once fill a node's memory. */
    @Test
    void listing_ofLargeRecords_asksForLittleAtATime() {
        RegistryScene on = beginWithLargeRecords();
        Reply first = done(Script.of("registry/list")
                .run(registries.redis(), List.of(registries.redis().key("s0", "clients")), "", "", 256));
        assertThat(first.has(0)).isTrue();
        assertThat(PackedRecords.count(first.bytes(1))).isEqualTo(5);
        try (RedisCommands commands = server.commands()) {
            long before = scriptsRun(commands);
            assertThat(done(on.backend.listClientsPage("", 24)).clients()).hasSize(24);
            // Three shards in two steps each, and the first of the fourth; those behind it are not asked ahead.
            assertThat(scriptsRun(commands) - before).isEqualTo(3 * 2 + 1);
        }
        assertThat(done(on.backend.listClients())).hasSize(56);
    }

    @Test
    void removal_ofLargeRecords_endsAStepByTheirBytes() {
        RegistryScene on = beginWithLargeRecords();
        String key = registries.redis().key("s0", "clients");
        Reply step = done(Script.of("registry/remove-node").run(registries.redis(), List.of(key), N1.node(), 256));
        assertThat(List.of(step.number(0), (long) step.list(1).size())).isEqualTo(List.of(2L, 10L));
        assertThat(done(on.backend.cleanupNode(N1.node()))).hasSize(51);
    }

    private static long scriptsRun(RedisCommands commands) {
        String stats = commands.text("INFO", "commandstats");
        return Stream.of("cmdstat_eval:calls=", "cmdstat_evalsha:calls=")
                .mapToLong(name -> {
                    int at = stats.indexOf(name);
                    String rest = at < 0 ? "0," : stats.substring(at + name.length());
                    return Long.parseLong(rest.substring(0, rest.indexOf(',')));
                })
                .sum();
    }

    /** One shard whose queue holds one chunk of one client. */
    private static RegistryLimits oneChunk() {
        return new RegistryLimits(1, 30_000, 1, 1 << 20, 1 << 20, 1, 30_000, 3, 1, 90_000, 30_000);
    }

    @Test
    void registry_thatLostEverything_answersAnotherEpochUntilOneBegins() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        server.restartEmpty();
        Awaiting.until("Redis is back", () -> RedisRegistries.isAnswering(on.backend));
        assertThat(on.register(N1, unordered("alice", "c1")).status()).isEqualTo(Status.OTHER_EPOCH);
        assertThat(done(on.backend.refreshNode(on.warrant(N1))).status()).isEqualTo(Status.OTHER_EPOCH);
        assertThat(done(on.backend.consumeNonce(EPOCH, "alice", "nonce", on.now())))
                .isEqualTo(NonceUse.OTHER_EPOCH);
        assertUnknown(() -> on.backend.getClient("alice"));
        assertUnknown(() -> on.backend.getClientIncludingPending("alice"));
        assertUnknown(on.backend::listClients);
        done(on.backend.beginEpoch("epoch-2"));
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(done(on.backend.listClients())).isEmpty();
        Warrant next = RegistryScene.inEpoch(on.warrant(N1), "epoch-2");
        assertThat(done(on.backend.register(next, unordered("alice", "c1"))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void registry_fromDisk_keepsItsRecordsInAnotherEpoch() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        on.reserve(N1, unordered("bob", "c2"));
        ClientRecord before = on.record("alice");
        server.stop();
        server.start();
        Awaiting.until("Redis is back", () -> RedisRegistries.isAnswering(on.backend));
        assertThat(on.record("alice")).isEqualTo(before);
        assertThat(done(on.backend.getClient("alice"))).contains(before);
        assertThat(on.record("bob").isActive()).isFalse();
        // That it was activated may be what was lost.
        assertUnknown(() -> on.backend.getClient("bob"));
        assertUnknown(() -> on.backend.getClientIncludingPending("carol"));
        assertUnknown(on.backend::listClients);
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Status.OTHER_EPOCH);
        done(on.backend.beginEpoch(EPOCH));
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Status.OTHER_EPOCH);
        done(on.backend.beginEpoch("epoch-2"));
        Warrant next = RegistryScene.inEpoch(on.warrant(N1), "epoch-2");
        assertThat(done(on.backend.updateMetadata(next, "alice", "c1", "{}")).status())
                .isEqualTo(Status.OK);
        assertThat(on.sight("carol")).isEqualTo(Sight.NOTHING);
        assertThat(done(on.backend.listClients())).hasSize(1);
    }

    /** Of two nodes the other has noticed first that the registry is a new one. */
    @Test
    void absence_inAnEpochThatThisNodeHasNotBegun_isNotTold() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        RedisRegistry other = new RedisRegistry(registries.redis(), RegistryScene.LIMITS);
        assertUnknown(() -> other.getClientIncludingPending("bob"));
        done(other.beginEpoch("epoch-2"));
        assertThat(done(other.getClientIncludingPending("bob"))).isEqualTo(Sight.NOTHING);
        assertThat(on.record("alice").connectionId()).isEqualTo("c1");
        assertUnknown(() -> on.backend.getClientIncludingPending("bob"));
        // What it asks for is over, and it hears of what is there instead.
        done(on.backend.beginEpoch(EPOCH));
        assertThat(on.sight("bob")).isEqualTo(Sight.NOTHING);
    }

    private static void assertUnknown(Supplier<CompletionStage<?>> question) {
        assertThatThrownBy(() -> done(question.get())).hasRootCauseInstanceOf(RegistryUnavailable.class);
    }

    @Test
    void redis_thatDoesNotAnswer_isUnavailableAndTellsNothing() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        server.pause();
        try {
            assertThatThrownBy(() -> on.update(N1, "alice", "c1", "{\"secret\":\"heart\"}"))
                    .hasRootCauseInstanceOf(io.huddle.redis.RedisUnavailable.class)
                    .hasStackTraceContaining("RegistryUnavailable")
                    .satisfies(thrown -> {
                        for (Throwable one = thrown; one != null; one = one.getCause()) {
                            assertThat(String.valueOf(one.getMessage())).doesNotContain("heart", "alice");
                        }
                    });
        } finally {
            server.resume();
        }
        Awaiting.until("Redis is back", () -> RedisRegistries.isAnswering(on.backend));
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Status.OK);
    }
}
