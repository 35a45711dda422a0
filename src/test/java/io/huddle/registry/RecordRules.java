package io.huddle.registry;

import static io.huddle.registry.RegistryScene.META;
import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.SHORT_CLAIMS;
import static io.huddle.registry.RegistryScene.SHORT_MS;
import static io.huddle.registry.RegistryScene.asking;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.ordered;
import static io.huddle.registry.RegistryScene.recordOf;
import static io.huddle.registry.RegistryScene.superseding;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.RegistryScene.Writer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who owns a record, what becomes of it, and who may do so. */
interface RecordRules extends RegistryRules {
    Writer N1_RESTARTED = new Writer(N1.node(), "process-1b");

    @Test
    default void register_newClient_isRecordedAsGiven() {
        RegistryScene on = begin();
        long before = on.now();
        Warrant warrant = on.warrant(N1);
        Registration given = new Registration(
                "alice", "c1", 7, "session-1", 7, List.of("blue", "red"), before - 5, "{ \"b\" : [] }");
        Written written = done(on.backend.register(warrant, given));
        assertThat(written.status()).isEqualTo(Written.Status.OK);
        assertThat(written.record())
                .isEqualTo(new ClientRecord(
                        "alice",
                        N1.node(),
                        N1.process(),
                        "c1",
                        State.ACTIVE,
                        7,
                        "session-1",
                        7,
                        List.of("blue", "red"),
                        before - 5,
                        warrant.operation(),
                        1,
                        "{ \"b\" : [] }"));
        assertThat(done(on.backend.getClient("alice"))).contains(written.record());
        assertThat(on.sight("alice")).isEqualTo(new Sight(written.record(), false, null, 0));
    }

    @Test
    default void register_withoutOrderAndTime_getsTheRegistrysClock() {
        RegistryScene on = begin();
        long before = on.now();
        on.register(N1, unordered("alice", "c1"));
        long after = on.now();
        assertThat(on.record("alice").order()).isBetween(before, after);
        assertThat(on.record("alice").connectedAt()).isBetween(before, after);
        assertThat(on.record("alice").session()).isNull();
    }

    @Test
    default void getClient_unknown_isEmpty() {
        RegistryScene on = begin();
        assertThat(done(on.backend.getClient("nobody"))).isEmpty();
        assertThat(on.sight("nobody")).isEqualTo(Sight.NOTHING);
    }

    /** What is not there may have been lost, or may not have come yet. */
    @Test
    default void absence_beforeTheFirstEpoch_isNotTold() {
        RegistryBackend fresh = beginWithoutEpoch(RegistryScene.LIMITS);
        List<Supplier<CompletionStage<?>>> questions = List.of(
                () -> fresh.getClient("alice"),
                () -> fresh.getClientIncludingPending("alice"),
                fresh::listClients,
                () -> fresh.listClientsPage("", 10),
                () -> fresh.listClientsForNode(N1.node()),
                () -> fresh.listRecordsOfNode(N1.node(), "", 10));
        assertThat(questions)
                .allSatisfy(question -> assertThatThrownBy(() -> done(question.get()))
                        .hasRootCauseInstanceOf(RegistryUnavailable.class));
        done(fresh.beginEpoch(RegistryScene.EPOCH));
        assertThat(questions).allSatisfy(question -> done(question.get()));
        assertThat(done(fresh.getClientIncludingPending("alice"))).isEqualTo(Sight.NOTHING);
    }

    @Test
    default void register_sameConnectionAgain_isRewrittenAndKeepsWhatItIs() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 7));
        ClientRecord first = on.record("alice");
        on.passes(5);
        Written again = done(
                on.backend.register(on.warrant(N1), new Registration("alice", "c1", 0, "s", 3, List.of("t"), 1, "{}")));
        assertThat(again.status()).isEqualTo(Written.Status.OK);
        assertThat(again.record())
                .isEqualTo(new ClientRecord(
                        "alice",
                        N1.node(),
                        N1.process(),
                        "c1",
                        State.ACTIVE,
                        7,
                        "s",
                        3,
                        List.of("t"),
                        first.connectedAt(),
                        first.mark(),
                        2,
                        "{}"));
        assertThat(on.register(N1, ordered("alice", "c1", 8)).record())
                .extracting(ClientRecord::order, ClientRecord::revision, ClientRecord::mark)
                .containsExactly(8L, 3L, first.mark());
    }

    @Test
    default void register_sameConnectionWithALowerOrder_isRefused() {
        RegistryScene on = begin();
        Written first = on.register(N1, ordered("alice", "c1", 7));
        assertThat(on.register(N1, ordered("alice", "c1", 6)))
                .isEqualTo(new Written(Written.Status.NEWER_EXISTS, first.record()));
        assertThat(on.record("alice")).isEqualTo(first.record());
    }

    /** Direct registration never steals: whatever its order, it cannot know that the owner has been fenced. */
    @Test
    default void register_anotherConnection_neverTakesTheId() {
        RegistryScene on = begin();
        ClientRecord owner = on.register(N1, ordered("alice", "c5", 7)).record();
        Written conflict = new Written(Written.Status.CONFLICT, owner);
        Written newer = new Written(Written.Status.NEWER_EXISTS, owner);
        assertThat(on.register(N2, unordered("alice", "c9"))).isEqualTo(conflict);
        assertThat(on.register(N2, ordered("alice", "c9", 8))).isEqualTo(conflict);
        assertThat(on.register(N2, ordered("alice", "c9", 7))).isEqualTo(conflict);
        assertThat(on.register(N2, ordered("alice", "c1", 7))).isEqualTo(newer);
        assertThat(on.register(N2, ordered("alice", "c9", 6))).isEqualTo(newer);
        assertThat(on.register(N1, ordered("alice", "c9", 8))).isEqualTo(conflict);
        assertThat(on.register(N2, ordered("alice", "c5", 8))).isEqualTo(conflict);
        assertThat(on.register(N1_RESTARTED, ordered("alice", "c5", 8))).isEqualTo(conflict);
        assertThat(on.reserve(N2, ordered("alice", "c9", 8))).isEqualTo(conflict);
        assertThat(on.record("alice")).isEqualTo(owner);
    }

    @Test
    default void register_againstAnOpenClaim_followsTheOrder() {
        RegistryScene on = begin();
        String claim = on.claimed(N1, asking(ordered("alice", "c1", 5)));
        assertThat(on.register(N2, ordered("alice", "c2", 4))).isEqualTo(Written.of(Written.Status.NEWER_EXISTS));
        assertThat(on.register(N2, ordered("alice", "c2", 5))).isEqualTo(Written.of(Written.Status.CONFLICT));
        assertThat(on.register(N2, unordered("alice", "c2"))).isEqualTo(Written.of(Written.Status.CONFLICT));
        assertThat(on.sight("alice").claim()).isEqualTo(claim);
        assertThat(on.register(N2, ordered("alice", "c2", 6)).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice").claim()).isNull();
        assertThat(on.commit(N1, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.record("alice").connectionId()).isEqualTo("c2");
    }

    @Test
    default void register_afterTheClaimLapsed_isDone() {
        RegistryScene on = begin(SHORT_CLAIMS);
        on.claimed(N1, asking(ordered("alice", "c1", 5)));
        on.passes(SHORT_MS + 1);
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(on.register(N2, ordered("alice", "c2", 4)).status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void register_byTheOwnerDuringATakeover_isDoneAndKeepsTheClaim() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 7)));
        assertThat(on.register(N1, unordered("alice", "c1")).status()).isEqualTo(Written.Status.OK);
        assertThat(on.register(N1, ordered("alice", "c1", 6)).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice").claim()).isEqualTo(claim);
        assertThat(on.register(N1, ordered("alice", "c1", 8)).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice").claim()).isNull();
    }

    @Test
    default void register_retried_hasItsEffectOnce() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N1);
        Registration registration = unordered("alice", "c1");
        Written first = done(on.backend.register(warrant, registration));
        on.passes(3);
        assertThat(done(on.backend.register(warrant, registration))).isEqualTo(first);
        assertThat(on.record("alice").revision()).isEqualTo(1);
    }

    /** A copy that was long under way would otherwise bring back who has left. */
    @Test
    default void register_copyAfterTheUnregister_doesNotComeBack() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N1);
        done(on.backend.register(warrant, unordered("alice", "c1")));
        on.unregister(N1, "alice", "c1");
        assertThat(done(on.backend.register(warrant, unordered("alice", "c1"))))
                .isEqualTo(Written.of(Written.Status.NOT_OWNER));
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
    }

    @Test
    default void reserve_newClient_isHiddenUntilActivated() {
        RegistryScene on = begin();
        Written reserved = on.reserve(N1, unordered("alice", "c1"));
        assertThat(reserved.status()).isEqualTo(Written.Status.OK);
        assertThat(on.isVisible("alice")).isFalse();
        assertThat(done(on.backend.listClients())).isEmpty();
        assertThat(done(on.backend.listClientsForNode(N1.node()))).isEmpty();
        assertThat(on.sight("alice").record()).isEqualTo(reserved.record());
        assertThat(on.record("alice").state()).isEqualTo(State.PENDING);
        assertThat(done(on.backend.activate(on.warrant(N1), "alice", "c1", "{}"))
                        .record())
                .extracting(ClientRecord::state, ClientRecord::metadata, ClientRecord::revision, ClientRecord::mark)
                .containsExactly(State.ACTIVE, "{}", 2L, on.record("alice").mark());
        assertThat(on.record("alice").connectedAt())
                .isEqualTo(recordOf(reserved).connectedAt());
        assertThat(on.isVisible("alice")).isTrue();
    }

    @Test
    default void activate_again_writesOnlyTheMetadata() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        Written again = done(on.backend.activate(on.warrant(N1), "alice", "c1", "{\"again\":true}"));
        assertThat(again.record())
                .extracting(ClientRecord::state, ClientRecord::metadata)
                .containsExactly(State.ACTIVE, "{\"again\":true}");
    }

    @Test
    default void exactOwner_other_changesNothing() {
        RegistryScene on = begin();
        on.reserve(N1, unordered("alice", "c1"));
        ClientRecord owner = on.record("alice");
        Written notOwner = Written.of(Written.Status.NOT_OWNER);
        for (Writer other : List.of(N2, N1_RESTARTED)) {
            assertThat(on.activate(other, "alice", "c1")).isEqualTo(notOwner);
            assertThat(on.update(other, "alice", "c1", "{}")).isEqualTo(notOwner);
            assertThat(on.unregister(other, "alice", "c1")).isEqualTo(notOwner);
        }
        assertThat(on.activate(N1, "alice", "c2")).isEqualTo(notOwner);
        assertThat(on.update(N1, "alice", "c2", "{}")).isEqualTo(notOwner);
        assertThat(on.unregister(N1, "alice", "c2")).isEqualTo(notOwner);
        assertThat(on.record("alice")).isEqualTo(owner);
        assertThat(on.activate(N1, "bob", "c1")).isEqualTo(notOwner);
        assertThat(on.update(N1, "bob", "c1", "{}")).isEqualTo(notOwner);
        assertThat(on.unregister(N1, "bob", "c1")).isEqualTo(notOwner);
        assertThat(on.sight("bob")).isEqualTo(Sight.NOTHING);
    }

    @Test
    default void unregister_exactOwner_removesAndFreesTheId() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 9));
        assertThat(on.unregister(N1, "alice", "c1")).isEqualTo(Written.of(Written.Status.OK));
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 10)).clients())
                .isEmpty();
        assertThat(on.unregister(N1, "alice", "c1")).isEqualTo(Written.of(Written.Status.NOT_OWNER));
        assertThat(on.register(N2, ordered("alice", "c2", 1)).status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void unregister_withAnOwnOpenClaim_dropsThatToo() {
        RegistryScene on = begin();
        String claim = on.claimed(N1, asking(ordered("alice", "c1", 5)));
        assertThat(on.unregister(N1, "alice", "c1").status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(on.commit(N1, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
    }

    @Test
    default void unregister_duringAnothersClaim_leavesTheClaim() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N1, superseding(ordered("alice", "c2", 6)));
        assertThat(on.unregister(N1, "alice", "c1").status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice")).isEqualTo(new Sight(null, false, claim, N1.node()));
    }

    @Test
    default void unregister_retried_staysDoneAndSparesWhatCameAfter() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        Warrant warrant = on.warrant(N1);
        assertThat(done(on.backend.unregister(warrant, "alice", "c1", false)).status())
                .isEqualTo(Written.Status.OK);
        assertThat(done(on.backend.unregister(warrant, "alice", "c1", false)).status())
                .isEqualTo(Written.Status.OK);
        on.register(N1, unordered("alice", "c1"));
        assertThat(done(on.backend.unregister(warrant, "alice", "c1", false)).status())
                .isEqualTo(Written.Status.OK);
        assertThat(on.isVisible("alice")).isTrue();
    }

    @Test
    default void updateMetadata_copyAfterALaterOne_doesNotComeBack() {
        RegistryScene on = begin();
        on.reserve(N1, unordered("alice", "c1"));
        Warrant activating = on.warrant(N1);
        done(on.backend.activate(activating, "alice", "c1", "{\"n\":0}"));
        Warrant first = on.warrant(N1);
        done(on.backend.updateMetadata(first, "alice", "c1", "{\"n\":1}"));
        ClientRecord last = recordOf(on.update(N1, "alice", "c1", "{\"n\":2}"));
        Written still = new Written(Written.Status.OK, last);
        assertThat(done(on.backend.updateMetadata(first, "alice", "c1", "{\"n\":1}")))
                .isEqualTo(still);
        assertThat(done(on.backend.activate(activating, "alice", "c1", "{\"n\":0}")))
                .isEqualTo(still);
        assertThat(on.record("alice")).isEqualTo(last);
        assertThat(last.revision()).isEqualTo(4);
    }

    @Test
    default void updateMetadata_ofAPendingRecord_leavesItPending() {
        RegistryScene on = begin();
        on.reserve(N1, unordered("alice", "c1"));
        assertThat(on.update(N1, "alice", "c1", "{}").record())
                .extracting(ClientRecord::state, ClientRecord::metadata)
                .containsExactly(State.PENDING, "{}");
    }

    /** Metadata is nobody's but the client's: an empty list stays one, a number keeps its digits, keys their order. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"list\":[],\"big\":9007199254740991,\"f\":0.1234567890123456}",
                "{\"z\":1,\"a\":{},\"m\":[[]]}",
                "{\"n\":9223372036854775807,\"e\":1e400,\"d\":1.0}",
                " {\t\"space\" :\n 1 } ",
                "{\"u\":\"\\u0000 ü 漢 😀\",\"twice\":1,\"twice\":2}",
                "",
                "not JSON, and nobody minds \u0000\r\n"
            })
    default void metadata_throughTheStore_comesBackByteForByte(String metadata) {
        RegistryScene on = begin();
        done(on.backend.register(on.warrant(N1), new Registration("alice", "c1", 0, null, 0, List.of(), 0, metadata)));
        assertThat(on.record("alice").metadata()).isEqualTo(metadata);
        on.update(N1, "alice", "c1", META);
        assertThat(recordOf(on.update(N1, "alice", "c1", metadata)).metadata()).isEqualTo(metadata);
        assertThat(done(on.backend.listClients()))
                .extracting(ClientRecord::metadata)
                .containsExactly(metadata);
    }

    @Test
    default void orders_beyondWhatADoubleHolds_areExact() {
        RegistryScene on = begin();
        long order = 9_007_199_254_740_993L;
        on.register(N1, ordered("alice", "c5", order));
        assertThat(on.record("alice").order()).isEqualTo(order);
        assertThat(on.register(N2, ordered("alice", "c9", order - 1)).status()).isEqualTo(Written.Status.NEWER_EXISTS);
        assertThat(on.register(N2, ordered("alice", "c9", order)).status()).isEqualTo(Written.Status.CONFLICT);
    }

    @Test
    default void corruptRecord_one_answersSoAndHarmsNobodyElse() {
        RegistryScene on = begin();
        for (String client : List.of("alice", "bob", "carol", "dave", "eve")) {
            on.register(N1, unordered(client, "c-" + client));
        }
        corrupt("alice");
        Written corrupt = Written.of(Written.Status.CORRUPT);
        assertThat(on.sight("alice")).isEqualTo(new Sight(null, true, null, 0));
        assertThat(on.isVisible("alice")).isFalse();
        assertThat(on.register(N1, unordered("alice", "c-alice"))).isEqualTo(corrupt);
        assertThat(on.reserve(N2, unordered("alice", "c2"))).isEqualTo(corrupt);
        assertThat(on.activate(N1, "alice", "c-alice")).isEqualTo(corrupt);
        assertThat(on.update(N1, "alice", "c-alice", "{}")).isEqualTo(corrupt);
        assertThat(on.unregister(N1, "alice", "c-alice")).isEqualTo(corrupt);
        assertThat(on.claim(N2, superseding(unordered("alice", "c2"))).status()).isEqualTo(Claimed.Status.CORRUPT);
        assertThat(done(on.backend.listClients()))
                .extracting(ClientRecord::clientId)
                .containsExactlyInAnyOrder("bob", "carol", "dave", "eve");
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 10)).clients())
                .hasSize(4);
        assertThat(on.update(N1, "bob", "c-bob", "{}").status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void corruptRecord_removedByItsOwner_canBeWrittenAgain() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        corrupt("alice");
        assertThat(done(on.backend.unregister(on.warrant(N1), "alice", "c1", true)))
                .isEqualTo(Written.of(Written.Status.OK));
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(on.register(N1, unordered("alice", "c1")).status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void unregister_sayingOwnCorrupt_sparesAReadableRecordOfAnother() {
        RegistryScene on = begin();
        on.register(N2, unordered("alice", "c2"));
        assertThat(done(on.backend.unregister(on.warrant(N1), "alice", "c1", true))
                        .status())
                .isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.isVisible("alice")).isTrue();
    }
}
