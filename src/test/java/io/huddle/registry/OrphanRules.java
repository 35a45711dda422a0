package io.huddle.registry;

import static io.huddle.registry.RegistryScene.EPOCH;
import static io.huddle.registry.RegistryScene.LIMITS;
import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.N3;
import static io.huddle.registry.RegistryScene.SHORT_CLAIMS;
import static io.huddle.registry.RegistryScene.SHORT_MS;
import static io.huddle.registry.RegistryScene.asking;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.inEpoch;
import static io.huddle.registry.RegistryScene.ordered;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.huddle.registry.RegistryScene.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a node leaves behind: removed, kept as chunks, claimed, delivered, set aside. */
interface OrphanRules extends RegistryRules {
    /** One shard, so that a test knows where a chunk lies and what its share is. */
    private static RegistryLimits oneShard(int items, long bytes, int chunkBytes, int chunkClients, int deadLetters) {
        return new RegistryLimits(
                1, 30_000, items, bytes, chunkBytes, chunkClients, 30_000, 3, deadLetters, 90_000, 30_000);
    }

    /** Room for everything, with chunks of so many clients. */
    private static RegistryLimits chunksOf(int clients) {
        return oneShard(100, 1 << 20, 1 << 20, clients, 100);
    }

    private static void registerMany(RegistryScene on, Writer writer, int count) {
        for (int i = 0; i < count; i++) {
            on.register(writer, unordered("client-%02d".formatted(i), "c" + i));
        }
    }

    /** Cleans up until nothing more goes, and answers how many orphans that made. */
    private static int cleanUp(RegistryScene on, Writer node, int most) {
        int orphans = 0;
        for (int i = 0; i < 1_000; i++) {
            Cleanup step = done(on.backend.cleanupNodeAndEnqueueOrphaned(node.node(), most));
            orphans += step.orphans();
            if (step.done() || (step.full() && step.orphans() == 0)) {
                return orphans;
            }
        }
        throw new AssertionError("a thousand steps were not enough");
    }

    private static Optional<OrphanChunk> claimChunk(RegistryScene on, Writer writer) {
        return done(on.backend.claimOrphaned(on.warrant(writer)));
    }

    private static OrphanChunk claimedChunk(RegistryScene on, Writer writer) {
        return claimChunk(on, writer).orElseThrow(() -> new AssertionError("nothing is due"));
    }

    private static boolean ack(RegistryScene on, Writer writer, OrphanChunk chunk) {
        return done(on.backend.ackOrphaned(on.warrant(writer), chunk));
    }

    private static boolean nack(RegistryScene on, Writer writer, OrphanChunk chunk, long delayMs, boolean counts) {
        return done(on.backend.nackOrphaned(on.warrant(writer), chunk, delayMs, counts));
    }

    /** Delivers all that is due and answers whose clients it was. */
    private static List<String> delivered(RegistryScene on, Writer by) {
        List<String> clients = new ArrayList<>();
        for (Optional<OrphanChunk> next = claimChunk(on, by); next.isPresent(); next = claimChunk(on, by)) {
            next.get().clients().forEach(client -> clients.add(client.clientId()));
            assertThat(ack(on, by, next.get())).isTrue();
        }
        return clients;
    }

    @Test
    default void cleanupNode_leavingInOrder_removesAllOfItAndGivesTheActive() {
        RegistryScene on = begin();
        registerMany(on, N1, 20);
        on.reserve(N1, unordered("pending", "p"));
        on.register(N2, unordered("other", "o"));
        List<ClientRecord> active = done(on.backend.listClientsForNode(N1.node()));
        assertThat(done(on.backend.cleanupNode(N1.node()))).containsExactlyInAnyOrderElementsOf(active);
        assertThat(done(on.backend.listClients()))
                .extracting(ClientRecord::clientId)
                .containsExactly("other");
        assertThat(on.sight("pending")).isEqualTo(Sight.NOTHING);
        assertThat(done(on.backend.cleanupNode(N1.node()))).isEmpty();
        assertThat(done(on.backend.orphanAccount()).items()).isZero();
    }

    @Test
    default void cleanup_ofADeadNode_movesTheActiveIntoChunksAndDropsTheRest() {
        RegistryScene on = begin();
        registerMany(on, N1, 30);
        on.reserve(N1, unordered("pending", "p"));
        String claim = on.claimed(N1, asking(ordered("claimed", "c", 5)));
        on.register(N2, unordered("other", "o"));
        List<ClientRecord> active = done(on.backend.listClientsForNode(N1.node()));
        assertThat(cleanUp(on, N1, 7)).isEqualTo(30);
        assertThat(done(on.backend.listClients()))
                .extracting(ClientRecord::clientId)
                .containsExactly("other");
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients())
                .isEmpty();
        assertThat(on.sight("pending")).isEqualTo(Sight.NOTHING);
        assertThat(on.sight("claimed")).isEqualTo(Sight.NOTHING);
        assertThat(on.commit(N1, "claimed", claim).status()).isEqualTo(Committed.Status.WRITER_DEAD);
        List<ClientRecord> orphans = new ArrayList<>();
        List<OrphanChunk> chunks = done(on.backend.listOrphaned(100));
        chunks.forEach(chunk -> orphans.addAll(chunk.clients()));
        assertThat(orphans).containsExactlyInAnyOrderElementsOf(active);
        assertThat(chunks).allMatch(chunk -> chunk.node() == N1.node() && chunk.tries() == 0 && !chunk.setAside());
        Shards shards = new Shards(LIMITS.shards());
        assertThat(chunks)
                .allSatisfy(chunk ->
                        assertThat(chunk.clients()).allMatch(client -> shards.of(client.clientId()) == chunk.shard()));
    }

    @Test
    default void cleanup_step_isBoundedAndSaysWhenItIsDone() {
        RegistryScene on = begin(chunksOf(100));
        registerMany(on, N1, 10);
        for (int left = 6; left >= 2; left -= 4) {
            assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 4)))
                    .isEqualTo(new Cleanup(false, false, 4));
            assertThat(done(on.backend.listClients())).hasSize(left);
        }
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 4))).isEqualTo(new Cleanup(true, false, 2));
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 4))).isEqualTo(new Cleanup(true, false, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 0));
    }

    @Test
    default void cleanup_ofANodeWithoutRecords_refusesItsNumberAllTheSame() {
        RegistryScene on = begin();
        assertThat(cleanUp(on, N1, 10)).isZero();
        for (int i = 0; i < 20; i++) {
            assertThat(on.register(N1, unordered("client-" + i, "c")).status()).isEqualTo(Written.Status.WRITER_DEAD);
        }
    }

    /** Who reconnected elsewhere in the meantime is not an orphan. */
    @Test
    default void cleanup_afterAClientMoved_sparesIt() {
        RegistryScene on = begin();
        registerMany(on, N1, 5);
        String claim =
                on.claimed(N2, new ClaimRequest(unordered("client-02", "x"), ClientRecord.State.ACTIVE, true, null, 0));
        on.commit(N2, "client-02", claim);
        assertThat(cleanUp(on, N1, 100)).isEqualTo(4);
        assertThat(on.record("client-02").node()).isEqualTo(N2.node());
        assertThat(delivered(on, N3)).doesNotContain("client-02").hasSize(4);
    }

    @Test
    default void cleanup_withACorruptRecord_getsDoneWithoutIt() {
        RegistryScene on = begin();
        registerMany(on, N1, 5);
        corrupt("client-02");
        assertThat(cleanUp(on, N1, 100)).isEqualTo(4);
        assertThat(delivered(on, N2)).doesNotContain("client-02").hasSize(4);
        assertThat(on.sight("client-02").corrupt()).isTrue();
        assertThat(done(on.backend.unregister(on.warrant(N2), "client-02", "", true))
                        .isOk())
                .isTrue();
        assertThat(on.register(N2, unordered("client-02", "x")).isOk()).isTrue();
    }

    /** Pending records take no place in a chunk, but they take time. */
    @Test
    default void chunks_areCutWhereManyBytesOfPendingRecordsLie() {
        RegistryScene on = begin(chunksOf(100));
        String large = "x".repeat(60 << 10);
        on.register(N1, unordered("a", "c1"));
        for (int i = 0; i < 5; i++) {
            on.reserve(N1, unordered("b" + i, "c2"));
            on.update(N1, "b" + i, "c2", large);
        }
        on.register(N1, unordered("c", "c3"));
        assertThat(cleanUp(on, N1, 100)).isEqualTo(2);
        assertThat(done(on.backend.listOrphaned(100)))
                .extracting(chunk -> chunk.clients().get(0).clientId())
                .containsExactly("a", "c");
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 10)).clients())
                .isEmpty();
    }

    @Test
    default void chunks_areCutByCount() {
        RegistryScene on = begin(chunksOf(4));
        registerMany(on, N1, 10);
        cleanUp(on, N1, 100);
        assertThat(done(on.backend.listOrphaned(100)))
                .extracting(chunk -> chunk.clients().size())
                .containsExactly(4, 4, 2);
    }

    @Test
    default void chunks_areCutByBytesAndALargeClientIsOneAlone() {
        RegistryScene on = begin(oneShard(100, 1 << 20, 3_000, 100, 100));
        String large = "{\"a\":\"" + "x".repeat(5_000) + "\"}";
        String small = "{\"a\":\"" + "x".repeat(1_000) + "\"}";
        for (int i = 0; i < 7; i++) {
            on.register(N1, unordered("client-" + i, "c" + i));
            on.update(N1, "client-" + i, "c" + i, i == 3 ? large : small);
        }
        assertThat(cleanUp(on, N1, 100)).isEqualTo(7);
        List<OrphanChunk> chunks = done(on.backend.listOrphaned(100));
        assertThat(chunks)
                .allMatch(chunk -> chunk.bytes() <= 3_000 || chunk.clients().size() == 1);
        assertThat(chunks).filteredOn(chunk -> chunk.bytes() > 5_000).hasSize(1);
        assertThat(chunks).hasSize(5);
        assertThat(chunks)
                .allSatisfy(chunk -> assertThat(chunk.bytes())
                        .isGreaterThan(chunk.clients().stream()
                                .mapToLong(client -> client.metadata().length())
                                .sum()));
        assertThat(done(on.backend.orphanAccount()).bytes())
                .isEqualTo(chunks.stream().mapToLong(OrphanChunk::bytes).sum());
    }

    @Test
    default void queue_withoutRoomForAnItem_refusesBeforeAnythingChangesAndResumes() {
        RegistryScene on = begin(oneShard(2, 1 << 20, 1 << 20, 1, 100));
        registerMany(on, N1, 4);
        on.reserve(N1, unordered("client-99-pending", "p"));
        assertThat(cleanUp(on, N1, 100)).isEqualTo(2);
        List<ClientRecord> left =
                done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients();
        assertThat(left)
                .extracting(ClientRecord::clientId)
                .containsExactly("client-02", "client-03", "client-99-pending");
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 100)))
                .isEqualTo(new Cleanup(false, true, 0));
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients())
                .isEqualTo(left);
        OrphanChunk held = claimedChunk(on, N2);
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 100))
                        .full())
                .isTrue();
        assertThat(on.register(N1, unordered("new", "n")).status()).isEqualTo(Written.Status.WRITER_DEAD);
        assertThat(ack(on, N2, held)).isTrue();
        assertThat(cleanUp(on, N1, 100)).isEqualTo(1);
        assertThat(delivered(on, N2)).hasSize(2);
        assertThat(cleanUp(on, N1, 100)).isEqualTo(1);
        assertThat(delivered(on, N2)).containsExactly("client-03");
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 100)))
                .isEqualTo(new Cleanup(true, false, 0));
    }

    @Test
    default void queue_withoutRoomForTheBytes_refusesAndResumes() {
        RegistryScene on = begin(oneShard(100, 3_000, 1_000, 1, 100));
        String metadata = "{\"a\":\"" + "x".repeat(1_200) + "\"}";
        for (int i = 0; i < 3; i++) {
            on.register(N1, unordered("client-" + i, "c" + i));
            on.update(N1, "client-" + i, "c" + i, metadata);
        }
        assertThat(cleanUp(on, N1, 100)).isPositive().isLessThan(3);
        assertThat(done(on.backend.orphanAccount()).bytes()).isBetween(1_200L, 3_000L);
        assertThat(done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 100))
                        .full())
                .isTrue();
        List<String> all = new ArrayList<>(delivered(on, N2));
        while (cleanUp(on, N1, 100) > 0) {
            all.addAll(delivered(on, N2));
        }
        assertThat(all).containsExactlyInAnyOrder("client-0", "client-1", "client-2");
        assertThat(done(on.backend.orphanAccount()).bytes()).isZero();
    }

    @Test
    default void queue_fullInOneShard_letsTheOthersGoOn() {
        RegistryScene on = begin(new RegistryLimits(2, 30_000, 2, 1 << 20, 1 << 20, 1, 30_000, 3, 100, 90_000, 30_000));
        Shards shards = new Shards(2);
        List<String> first = IntStream.range(0, 100)
                .mapToObj(i -> "client-" + i)
                .filter(id -> shards.of(id) == 0)
                .limit(3)
                .toList();
        String second = IntStream.range(0, 100)
                .mapToObj(i -> "client-" + i)
                .filter(id -> shards.of(id) == 1)
                .findFirst()
                .orElseThrow();
        first.forEach(id -> on.register(N1, unordered(id, id)));
        on.register(N1, unordered(second, second));
        assertThat(cleanUp(on, N1, 100)).isEqualTo(2);
        assertThat(done(on.backend.listOrphaned(100)))
                .extracting(OrphanChunk::shard)
                .containsExactlyInAnyOrder(0, 1);
    }

    @Test
    default void chunk_claimed_isNobodyElses() {
        RegistryScene on = begin(chunksOf(10));
        registerMany(on, N1, 3);
        List<ClientRecord> clients = done(on.backend.listClients());
        long before = on.now();
        cleanUp(on, N1, 100);
        Warrant warrant = on.warrant(N2);
        OrphanChunk chunk = done(on.backend.claimOrphaned(warrant)).orElseThrow();
        assertThat(chunk.clients()).containsExactlyInAnyOrderElementsOf(clients);
        assertThat(chunk.token()).isEqualTo(warrant.operation());
        assertThat(chunk.tries()).isEqualTo(1);
        assertThat(chunk.node()).isEqualTo(N1.node());
        assertThat(chunk.since()).isBetween(before, on.now());
        assertThat(claimChunk(on, N3)).isEmpty();
        assertThat(claimChunk(on, N2)).isEmpty();
        assertThat(done(on.backend.listOrphaned(10)))
                .extracting(OrphanChunk::token)
                .containsOnlyNulls();
        OrphanChunk stranger = new OrphanChunk(
                chunk.id(),
                chunk.shard(),
                chunk.node(),
                "not-the-token-of-it",
                1,
                chunk.since(),
                chunk.bytes(),
                false,
                List.of());
        assertThat(ack(on, N3, stranger)).isFalse();
        assertThat(nack(on, N3, stranger, 0, true)).isFalse();
        assertThat(done(on.backend.renewOrphaned(on.warrant(N3), stranger))).isFalse();
        assertThat(done(on.backend.listOrphaned(10))).hasSize(1);
        assertThat(ack(on, N2, chunk)).isTrue();
        assertThat(done(on.backend.listOrphaned(10))).isEmpty();
        assertThat(ack(on, N2, chunk)).isFalse();
    }

    @Test
    default void orphanOperations_retried_haveTheirEffectOnce() {
        RegistryScene on = begin(chunksOf(10));
        registerMany(on, N1, 3);
        cleanUp(on, N1, 100);
        Warrant claiming = on.warrant(N2);
        OrphanChunk chunk = done(on.backend.claimOrphaned(claiming)).orElseThrow();
        assertThat(done(on.backend.claimOrphaned(claiming))).contains(chunk);
        Warrant giving = on.warrant(N2);
        assertThat(done(on.backend.nackOrphaned(giving, chunk, 0, false))).isTrue();
        assertThat(done(on.backend.nackOrphaned(giving, chunk, 0, false))).isTrue();
        OrphanChunk again = claimedChunk(on, N3);
        assertThat(again.tries()).isEqualTo(1);
        // A copy of the first claimant's that was long under way.
        assertThat(done(on.backend.nackOrphaned(giving, chunk, 0, false))).isTrue();
        assertThat(claimChunk(on, N2)).isEmpty();
        Warrant acknowledging = on.warrant(N3);
        assertThat(done(on.backend.ackOrphaned(acknowledging, again))).isTrue();
        assertThat(done(on.backend.ackOrphaned(acknowledging, again))).isTrue();
    }

    @Test
    default void orphanOperations_ofWhoMayNotWrite_doNothing() {
        RegistryScene on = begin(chunksOf(10));
        registerMany(on, N1, 3);
        cleanUp(on, N1, 100);
        assertThat(claimChunk(on, N1)).isEmpty();
        assertThat(done(on.backend.claimOrphaned(inEpoch(on.warrant(N2), "epoch-0"))))
                .isEmpty();
        assertThat(done(on.backend.claimOrphaned(on.warrant(N2, on.now() - 1)))).isEmpty();
        OrphanChunk chunk = claimedChunk(on, N2);
        Warrant late = on.warrant(N2, on.now() - 1);
        assertThat(done(on.backend.ackOrphaned(late, chunk))).isFalse();
        assertThat(done(on.backend.nackOrphaned(late, chunk, 0, true))).isFalse();
        assertThat(done(on.backend.renewOrphaned(late, chunk))).isFalse();
        done(on.backend.cleanupNode(N2.node()));
        assertThat(ack(on, N2, chunk)).isFalse();
        assertThat(nack(on, N2, chunk, 0, true)).isFalse();
        assertThat(done(on.backend.listOrphaned(10))).hasSize(1);
    }

    @Test
    default void chunk_givenBack_comesAgainAfterTheDelayOnly() {
        RegistryScene on = begin(chunksOf(10));
        registerMany(on, N1, 3);
        cleanUp(on, N1, 100);
        OrphanChunk chunk = claimedChunk(on, N2);
        assertThat(nack(on, N2, chunk, SHORT_MS, true)).isTrue();
        assertThat(claimChunk(on, N3)).isEmpty();
        on.passes(SHORT_MS + 1);
        OrphanChunk again = claimedChunk(on, N3);
        assertThat(again.tries()).isEqualTo(2);
        assertThat(again.clients()).isEqualTo(chunk.clients());
        assertThat(ack(on, N2, chunk)).isFalse();
        assertThat(done(on.backend.orphanAccount()).redeliveries()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.nackOrphaned(on.warrant(N3), again, -1, true));
    }

    @Test
    default void chunk_whoseClaimRanOut_isRedeliveredAndTheFirstClaimantTooLate() {
        RegistryScene on = begin(SHORT_CLAIMS);
        registerMany(on, N1, 1);
        cleanUp(on, N1, 100);
        OrphanChunk first = claimedChunk(on, N2);
        on.passes(SHORT_MS + 1);
        OrphanChunk second = claimedChunk(on, N3);
        assertThat(second.tries()).isEqualTo(2);
        assertThat(done(on.backend.renewOrphaned(on.warrant(N2), first))).isFalse();
        assertThat(nack(on, N2, first, 0, true)).isFalse();
        assertThat(ack(on, N2, first)).isFalse();
        assertThat(ack(on, N3, second)).isTrue();
    }

    @Test
    default void chunk_whoseClaimRanOutButWhichNobodyTook_isStillAcknowledged() {
        RegistryScene on = begin(SHORT_CLAIMS);
        registerMany(on, N1, 1);
        cleanUp(on, N1, 100);
        OrphanChunk chunk = claimedChunk(on, N2);
        on.passes(SHORT_MS + 1);
        assertThat(ack(on, N2, chunk)).isTrue();
        assertThat(claimChunk(on, N3)).isEmpty();
    }

    @Test
    default void chunk_renewed_staysClaimed() {
        RegistryScene on = begin(SHORT_CLAIMS);
        registerMany(on, N1, 1);
        cleanUp(on, N1, 100);
        OrphanChunk chunk = claimedChunk(on, N2);
        for (int i = 0; i < 3; i++) {
            on.passes(SHORT_MS / 2);
            assertThat(done(on.backend.renewOrphaned(on.warrant(N2), chunk))).isTrue();
            assertThat(claimChunk(on, N3)).isEmpty();
        }
        assertThat(ack(on, N2, chunk)).isTrue();
    }

    /** A poison chunk among eleven others holds up none of them, and is never lost. */
    @Test
    default void chunk_thatAlwaysFails_isSetAsideAndHoldsUpNoOther() {
        RegistryScene on = begin(chunksOf(1));
        registerMany(on, N1, 12);
        cleanUp(on, N1, 100);
        List<String> delivered = new ArrayList<>();
        int failures = 0;
        for (Optional<OrphanChunk> next = claimChunk(on, N2); next.isPresent(); next = claimChunk(on, N2)) {
            OrphanChunk chunk = next.get();
            String client = chunk.clients().get(0).clientId();
            if (client.equals("client-05")) {
                assertThat(nack(on, N2, chunk, 0, true)).isTrue();
                failures++;
            } else {
                delivered.add(client);
                ack(on, N2, chunk);
            }
        }
        assertThat(delivered).hasSize(11);
        assertThat(failures).isEqualTo(3);
        List<OrphanChunk> left = done(on.backend.listOrphaned(10));
        assertThat(left).singleElement().satisfies(chunk -> {
            assertThat(chunk.setAside()).isTrue();
            assertThat(chunk.tries()).isEqualTo(3);
            assertThat(chunk.clients().get(0).clientId()).isEqualTo("client-05");
        });
        assertThat(done(on.backend.orphanAccount()))
                .extracting(
                        OrphanAccount::items, OrphanAccount::bytes, OrphanAccount::deadLetters, OrphanAccount::oldest)
                .containsExactly(0L, 0L, 1L, 0L);
        assertThat(done(on.backend.retryOrphaned(on.warrant(N3), "no-such-chunk")))
                .isFalse();
        Warrant retrying = on.warrant(N3);
        assertThat(done(on.backend.retryOrphaned(retrying, left.get(0).id()))).isTrue();
        assertThat(done(on.backend.retryOrphaned(retrying, left.get(0).id()))).isTrue();
        assertThat(done(on.backend.retryOrphaned(on.warrant(N3), left.get(0).id())))
                .isFalse();
        assertThat(done(on.backend.orphanAccount()))
                .extracting(OrphanAccount::items, OrphanAccount::bytes, OrphanAccount::deadLetters)
                .containsExactly(1L, left.get(0).bytes(), 0L);
        OrphanChunk again = claimedChunk(on, N3);
        assertThat(again.tries()).isEqualTo(1);
        assertThat(ack(on, N3, again)).isTrue();
    }

    @Test
    default void chunk_failingForWantOfADependency_isNeverSetAside() {
        RegistryScene on = begin(chunksOf(10));
        registerMany(on, N1, 1);
        cleanUp(on, N1, 100);
        for (int i = 0; i < 10; i++) {
            OrphanChunk chunk = claimedChunk(on, N2);
            assertThat(chunk.tries()).isEqualTo(1);
            assertThat(nack(on, N2, chunk, 0, false)).isTrue();
        }
        assertThat(done(on.backend.orphanAccount()).deadLetters()).isZero();
    }

    @Test
    default void chunk_withoutRoomAside_staysQueued() {
        RegistryScene on = begin(oneShard(100, 1 << 20, 1 << 20, 1, 1));
        registerMany(on, N1, 2);
        cleanUp(on, N1, 100);
        for (int i = 0; i < 20; i++) {
            Optional<OrphanChunk> chunk = claimChunk(on, N2);
            chunk.ifPresent(one -> nack(on, N2, one, 0, true));
        }
        assertThat(done(on.backend.orphanAccount()))
                .extracting(OrphanAccount::items, OrphanAccount::deadLetters)
                .containsExactly(1L, 1L);
        OrphanChunk still = claimedChunk(on, N2);
        assertThat(still.tries()).isGreaterThan(3);
        assertThat(ack(on, N2, still)).isTrue();
    }

    @Test
    default void retry_withoutRoomInTheQueue_isRefused() {
        RegistryScene on = begin(oneShard(1, 1 << 20, 1 << 20, 1, 10));
        registerMany(on, N1, 2);
        cleanUp(on, N1, 100);
        for (int i = 0; i < 3; i++) {
            nack(on, N2, claimedChunk(on, N2), 0, true);
        }
        assertThat(claimChunk(on, N2)).isEmpty();
        String aside = done(on.backend.listOrphaned(10)).get(0).id();
        assertThat(cleanUp(on, N1, 100)).isEqualTo(1);
        assertThat(done(on.backend.retryOrphaned(on.warrant(N2), aside))).isFalse();
        assertThat(delivered(on, N2)).containsExactly("client-01");
        assertThat(done(on.backend.retryOrphaned(on.warrant(N2), aside))).isTrue();
        assertThat(delivered(on, N2)).containsExactly("client-00");
    }

    @Test
    default void chunks_ofOneShard_areClaimedInTheOrderInWhichTheyAreDue() {
        RegistryScene on = begin(chunksOf(1));
        registerMany(on, N1, 3);
        for (int i = 0; i < 3; i++) {
            done(on.backend.cleanupNodeAndEnqueueOrphaned(N1.node(), 1));
            on.passes(3);
        }
        OrphanChunk first = claimedChunk(on, N2);
        assertThat(first.clients().get(0).clientId()).isEqualTo("client-00");
        nack(on, N2, first, 0, true);
        on.passes(3);
        assertThat(delivered(on, N2)).containsExactly("client-01", "client-02", "client-00");
    }

    @Test
    default void account_tellsOfAllShards() {
        RegistryScene on = begin();
        long before = on.now();
        assertThat(done(on.backend.orphanAccount()))
                .extracting(OrphanAccount::items, OrphanAccount::bytes, OrphanAccount::oldest)
                .containsExactly(0L, 0L, 0L);
        registerMany(on, N1, 30);
        cleanUp(on, N1, 100);
        List<OrphanChunk> chunks = done(on.backend.listOrphaned(100));
        OrphanAccount account = done(on.backend.orphanAccount());
        assertThat(account.items()).isEqualTo(chunks.size()).isEqualTo(4);
        assertThat(account.bytes())
                .isEqualTo(chunks.stream().mapToLong(OrphanChunk::bytes).sum());
        assertThat(account.oldest()).isBetween(before, on.now());
        assertThat(account.now()).isBetween(before, on.now());
        claimedChunk(on, N2);
        assertThat(done(on.backend.orphanAccount()).items()).isEqualTo(4);
        assertThat(done(on.backend.listOrphaned(3))).hasSize(3);
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listOrphaned(0));
    }

    @Test
    default void fallback_withinItsBounds_removesAndGivesTheActiveAsOneItem() {
        RegistryScene on = begin();
        assumeThat(on.backend.capabilities()).contains(Capability.FALLBACK_ORPHANS);
        registerMany(on, N1, 20);
        on.reserve(N1, unordered("pending", "p"));
        List<ClientRecord> active = done(on.backend.listClients());
        Cleanup.Snapshot snapshot = done(on.backend.cleanupNodeForFallback(N1.node(), 1, 1 << 20));
        assertThat(snapshot.refused()).isFalse();
        assertThat(snapshot.clients()).containsExactlyInAnyOrderElementsOf(active);
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients())
                .isEmpty();
        assertThat(on.register(N1, unordered("new", "n")).status()).isEqualTo(Written.Status.WRITER_DEAD);
    }

    @Test
    default void fallback_outsideOfItsBounds_removesNothing() {
        RegistryScene on = begin();
        assumeThat(on.backend.capabilities()).contains(Capability.FALLBACK_ORPHANS);
        registerMany(on, N1, 20);
        on.reserve(N1, unordered("pending", "p"));
        for (Cleanup.Snapshot refused : List.of(
                done(on.backend.cleanupNodeForFallback(N1.node(), 0, 1 << 20)),
                done(on.backend.cleanupNodeForFallback(N1.node(), 1, 1_000)))) {
            assertThat(refused).isEqualTo(new Cleanup.Snapshot(true, List.of()));
        }
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients())
                .hasSize(21);
    }

    @Test
    default void fallback_withNothingActive_needsNoPlace() {
        RegistryScene on = begin();
        assumeThat(on.backend.capabilities()).contains(Capability.FALLBACK_ORPHANS);
        on.reserve(N1, unordered("pending", "p"));
        assertThat(done(on.backend.cleanupNodeForFallback(N1.node(), 0, 0)))
                .isEqualTo(new Cleanup.Snapshot(false, List.of()));
        assertThat(on.sight("pending")).isEqualTo(Sight.NOTHING);
        assertThat(done(on.backend.beginEpoch(EPOCH))).isNull();
    }
}
