package io.huddle.registry;

import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.N3;
import static io.huddle.registry.RegistryScene.SHORT_CLAIMS;
import static io.huddle.registry.RegistryScene.SHORT_MS;
import static io.huddle.registry.RegistryScene.asking;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.ordered;
import static io.huddle.registry.RegistryScene.superseding;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.RegistryScene.Writer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a client id changes hands: claimed, the old connection fenced meanwhile, committed or given up. */
interface ClaimRules extends RegistryRules {
    Writer N2_RESTARTED = new Writer(N2.node(), "process-2b");

    @Test
    default void claim_freeId_isOpenAndHidden() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N1);
        Claimed claimed = done(on.backend.claim(warrant, asking(ordered("alice", "c1", 5))));
        assertThat(claimed).isEqualTo(new Claimed(Claimed.Status.CLAIMED, warrant.operation(), 5, null, 0));
        assertThat(on.sight("alice")).isEqualTo(new Sight(null, false, claimed.claim(), N1.node()));
        assertThat(on.isVisible("alice")).isFalse();
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 10)).clients())
                .isEmpty();
    }

    @Test
    default void claim_ofAnOwnedId_leavesTheOwnerInPlace() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        ClientRecord owner = on.record("alice");
        Claimed claimed = on.claim(N2, asking(ordered("alice", "c2", 6)));
        assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
        assertThat(claimed.previous()).isEqualTo(owner);
        assertThat(on.record("alice")).isEqualTo(owner);
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void claim_withoutOrder_getsTheClockOrOneMoreThanTheOwner() {
        RegistryScene on = begin();
        long before = on.now();
        assertThat(on.claim(N1, asking(unordered("alice", "c1"))).order()).isBetween(before, on.now());
        long future = on.now() + 1_000_000;
        on.register(N1, ordered("bob", "c1", future));
        assertThat(on.claim(N2, superseding(unordered("bob", "c2"))).order()).isEqualTo(future + 1);
    }

    @Test
    default void claim_retried_isAnsweredAlikeThoughTheOwnerChanged() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        Warrant warrant = on.warrant(N2);
        ClaimRequest request = superseding(unordered("alice", "c2"));
        Claimed first = done(on.backend.claim(warrant, request));
        on.update(N1, "alice", "c1", "{}");
        on.passes(2);
        assertThat(done(on.backend.claim(warrant, request))).isEqualTo(first);
    }

    @Test
    default void claim_sameOperationWithAnotherContent_isBusy() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N2);
        done(on.backend.claim(warrant, asking(ordered("alice", "c2", 5))));
        Sight open = on.sight("alice");
        Registration other = new Registration("alice", "c2", 5, null, 0, List.of(), 0, "{\"a\":2}");
        for (ClaimRequest changed : List.of(
                asking(other),
                asking(ordered("alice", "c3", 5)),
                asking(ordered("alice", "c2", 6)),
                superseding(ordered("alice", "c2", 5)),
                new ClaimRequest(ordered("alice", "c2", 5), State.ACTIVE, false, null, 0),
                new ClaimRequest(ordered("alice", "c2", 5), State.PENDING, false, "another-mark", 0))) {
            assertThat(done(on.backend.claim(warrant, changed)))
                    .isEqualTo(new Claimed(Claimed.Status.BUSY, null, 0, null, N2.node()));
        }
        assertThat(on.sight("alice")).isEqualTo(open);
    }

    @Test
    default void claim_againstAnOpenOne_followsTheOrder() {
        RegistryScene on = begin();
        String first = on.claimed(N1, asking(ordered("alice", "c1", 5)));
        assertThat(on.claim(N2, superseding(ordered("alice", "c2", 4))))
                .isEqualTo(Claimed.of(Claimed.Status.NEWER_EXISTS));
        assertThat(on.claim(N2, superseding(ordered("alice", "c2", 5))))
                .isEqualTo(new Claimed(Claimed.Status.BUSY, null, 0, null, N1.node()));
        assertThat(on.claim(N2, superseding(unordered("alice", "c2"))))
                .isEqualTo(new Claimed(Claimed.Status.BUSY, null, 0, null, N1.node()));
        assertThat(on.sight("alice").claim()).isEqualTo(first);
        String second = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        assertThat(on.sight("alice")).isEqualTo(new Sight(null, false, second, N2.node()));
        assertThat(on.commit(N1, "alice", first).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.commit(N2, "alice", second).status()).isEqualTo(Committed.Status.COMMITTED);
    }

    @Test
    default void claim_ofALowerOrderThanTheOwners_isRefused() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        Claimed refused = on.claim(N2, superseding(ordered("alice", "c2", 4)));
        assertThat(refused).isEqualTo(new Claimed(Claimed.Status.NEWER_EXISTS, null, 0, on.record("alice"), 0));
        assertThat(on.sight("alice").claim()).isNull();
    }

    @Test
    default void claim_withoutLeave_isRefusedUnlessTheOrderIsHigher() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        Claimed conflict = new Claimed(Claimed.Status.CONFLICT, null, 0, on.record("alice"), 0);
        assertThat(on.claim(N2, asking(unordered("alice", "c2")))).isEqualTo(conflict);
        assertThat(on.claim(N2, asking(ordered("alice", "c2", 5)))).isEqualTo(conflict);
        assertThat(on.claim(N1, asking(ordered("alice", "c2", 5)))).isEqualTo(conflict);
        assertThat(on.claim(N2, asking(ordered("alice", "c1", 5)))).isEqualTo(conflict);
        assertThat(on.sight("alice").claim()).isNull();
        assertThat(on.claim(N1, asking(ordered("alice", "c1", 5))).status()).isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    default void claim_withALeave_isOpen() {
        for (String kind : List.of("supersede", "mark", "node")) {
            RegistryScene on = begin();
            on.register(N1, ordered("alice", "c1", 5));
            ClaimRequest request = new ClaimRequest(
                    ordered("alice", "c2", 5),
                    State.ACTIVE,
                    kind.equals("supersede"),
                    kind.equals("mark") ? on.record("alice").mark() : null,
                    kind.equals("node") ? N1.node() : 0);
            Claimed claimed = on.claim(N2, request);
            assertThat(claimed.status()).as(kind).isEqualTo(Claimed.Status.CLAIMED);
            assertThat(claimed.previous()).as(kind).isEqualTo(on.record("alice"));
        }
    }

    @Test
    default void claim_withTheMarkOfAnEarlierGeneration_hasNoLeave() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String gone = on.record("alice").mark();
        on.unregister(N1, "alice", "c1");
        on.register(N1, ordered("alice", "c1", 5));
        ClaimRequest request = new ClaimRequest(ordered("alice", "c2", 5), State.ACTIVE, false, gone, 0);
        assertThat(on.claim(N2, request).status()).isEqualTo(Claimed.Status.CONFLICT);
    }

    @Test
    default void claim_namingADeadNode_endsThatNodesWritesAndClaims() {
        RegistryScene on = begin();
        String open = on.claimed(N1, asking(ordered("alice", "c1", 50)));
        ClaimRequest request = new ClaimRequest(ordered("alice", "c2", 5), State.ACTIVE, false, null, N1.node());
        assertThat(on.claim(N2, request).status()).isEqualTo(Claimed.Status.CLAIMED);
        assertThat(on.commit(N1, "alice", open).status()).isEqualTo(Committed.Status.WRITER_DEAD);
        assertThat(on.register(N1, ordered("alice", "c1", 50)).status()).isEqualTo(Written.Status.WRITER_DEAD);
    }

    /** The case of the crashed node: its clients come back before its remains are removed. */
    @Test
    default void claim_ofADeadNodesRecord_needsNoLeaveAndCommits() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        on.register(N1, unordered("alice2", "c3"));
        ClaimRequest request = new ClaimRequest(unordered("alice", "c2"), State.ACTIVE, false, null, N1.node());
        Claimed claimed = on.claim(N2, request);
        assertThat(on.commit(N2, "alice", String.valueOf(claimed.claim())).status())
                .isEqualTo(Committed.Status.COMMITTED);
        assertThat(on.record("alice").node()).isEqualTo(N2.node());
        assertThat(done(on.backend.cleanupNode(N1.node())))
                .extracting(ClientRecord::clientId)
                .containsExactly("alice2");
        assertThat(on.isVisible("alice")).isTrue();
    }

    @Test
    default void claim_namingItself_isRefusedAtOnce() {
        RegistryScene on = begin();
        ClaimRequest request = new ClaimRequest(unordered("alice", "c1"), State.ACTIVE, false, null, N1.node());
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.claim(on.warrant(N1), request));
    }

    @Test
    default void claim_lapsed_isAsNone() {
        RegistryScene on = begin(SHORT_CLAIMS);
        on.register(N1, ordered("alice", "c1", 5));
        String lapsed = on.claimed(N2, asking(ordered("alice", "c2", 9)));
        on.passes(SHORT_MS + 1);
        assertThat(on.sight("alice").claim()).isNull();
        assertThat(on.removePrevious(N2, "alice", lapsed).status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.commit(N2, "alice", lapsed).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.record("alice").connectionId()).isEqualTo("c1");
        assertThat(on.claim(N3, asking(ordered("alice", "c3", 6))).status()).isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    default void claim_copyAfterItsEnd_opensNoSecondOne() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N2);
        ClaimRequest request = asking(ordered("alice", "c2", 5));
        String claim = String.valueOf(done(on.backend.claim(warrant, request)).claim());
        on.commit(N2, "alice", claim);
        assertThat(done(on.backend.claim(warrant, request)).status()).isEqualTo(Claimed.Status.TOO_LATE);
        on.unregister(N2, "alice", "c2");
        assertThat(done(on.backend.claim(warrant, request)).status()).isEqualTo(Claimed.Status.TOO_LATE);
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
    }

    @Test
    default void claims_ofTheSameOrderAtOnce_oneIsOpen() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        List<CompletableFuture<Claimed>> all = IntStream.range(0, 16)
                .mapToObj(i -> {
                    Warrant warrant = on.warrant(i % 2 == 0 ? N2 : N3);
                    return CompletableFuture.supplyAsync(() ->
                            done(on.backend.claim(warrant, superseding(ordered("alice", "c" + (i + 2), 6)))));
                })
                .toList();
        List<Claimed.Status> statuses =
                all.stream().map(one -> done(one).status()).toList();
        assertThat(statuses).filteredOn(Claimed.Status.CLAIMED::equals).hasSize(1);
        assertThat(statuses).filteredOn(Claimed.Status.BUSY::equals).hasSize(15);
    }

    @Test
    default void claims_ofRisingOrdersAtOnce_onlyTheHighestCommits() {
        RegistryScene on = begin();
        List<CompletableFuture<Claimed>> all = IntStream.range(0, 16)
                .mapToObj(i -> {
                    Warrant warrant = on.warrant(i % 2 == 0 ? N2 : N3);
                    return CompletableFuture.supplyAsync(() ->
                            done(on.backend.claim(warrant, asking(ordered("alice", "c" + i, i + 1)))));
                })
                .toList();
        all.forEach(RegistryScene::done);
        String open = String.valueOf(on.sight("alice").claim());
        int committed = 0;
        for (int i = 0; i < all.size(); i++) {
            String claim = String.valueOf(done(all.get(i)).claim());
            Committed answer = on.commit(i % 2 == 0 ? N2 : N3, "alice", claim);
            committed += answer.status() == Committed.Status.COMMITTED ? 1 : 0;
            assertThat(answer.status() == Committed.Status.COMMITTED).isEqualTo(claim.equals(open));
        }
        assertThat(committed).isEqualTo(1);
        assertThat(on.record("alice").order()).isEqualTo(16);
    }

    @Test
    default void commit_ofAFreeId_makesTheRecordUnderTheClaimsId() {
        RegistryScene on = begin();
        Registration given = new Registration("alice", "c1", 5, "s", 5, List.of("t"), 77, "{}");
        String claim = on.claimed(N1, new ClaimRequest(given, State.PENDING, false, null, 0));
        Committed committed = on.commit(N1, "alice", claim);
        assertThat(committed)
                .isEqualTo(new Committed(
                        Committed.Status.COMMITTED,
                        new ClientRecord(
                                "alice",
                                N1.node(),
                                N1.process(),
                                "c1",
                                State.PENDING,
                                5,
                                "s",
                                5,
                                List.of("t"),
                                77,
                                claim,
                                1,
                                "{}")));
        assertThat(on.sight("alice")).isEqualTo(new Sight(committed.record(), false, null, 0));
        assertThat(on.isVisible("alice")).isFalse();
        assertThat(on.activate(N1, "alice", "c1").status()).isEqualTo(Written.Status.OK);
        assertThat(on.isVisible("alice")).isTrue();
    }

    @Test
    default void commit_overTheCapturedRecord_movesTheClient() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, new ClaimRequest(ordered("alice", "c2", 6), State.ACTIVE, false, null, 0));
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.COMMITTED);
        assertThat(done(on.backend.listClientsForNode(N1.node()))).isEmpty();
        assertThat(done(on.backend.listClientsForNode(N2.node())))
                .extracting(ClientRecord::connectionId, ClientRecord::mark, ClientRecord::order)
                .containsExactly(tuple("c2", claim, 6L));
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.unregister(N1, "alice", "c1").status()).isEqualTo(Written.Status.NOT_OWNER);
    }

    @Test
    default void commit_afterTheOwnerUnregistered_isDone() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.unregister(N1, "alice", "c1");
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.COMMITTED);
    }

    @Test
    default void commit_ofAPendingOwnerThatStaysSo_isDone() {
        RegistryScene on = begin();
        on.reserve(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.COMMITTED);
    }

    @Test
    default void commit_afterTheOwnerChanged_saysSoAndIsDoneOnceThatGenerationIsRemoved() {
        RegistryScene on = begin();
        on.reserve(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.activate(N1, "alice", "c1");
        assertThat(on.commit(N2, "alice", claim))
                .isEqualTo(new Committed(Committed.Status.PREVIOUS_CHANGED, on.record("alice")));
        assertThat(on.record("alice").connectionId()).isEqualTo("c1");
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice")).isEqualTo(new Sight(null, false, claim, N2.node()));
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.COMMITTED);
    }

    @Test
    default void commit_afterOnlyTheMetadataChanged_saysSoToo() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.update(N1, "alice", "c1", RegistryScene.META);
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.PREVIOUS_CHANGED);
    }

    /** The same node and connection again, but not the one that was captured: nobody has fenced it. */
    @Test
    default void commit_overAnotherGenerationOfTheSameNames_isLostAndTouchesNothing() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.unregister(N1, "alice", "c1");
        // Only what is higher than the claim comes in between, and takes the claim with it.
        on.register(N1, ordered("alice", "c1", 7));
        ClientRecord other = on.record("alice");
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.record("alice")).isEqualTo(other);
    }

    @Test
    default void commit_whileTheCapturedRecordIsCorrupt_isLost() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        corrupt("alice");
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.CORRUPT);
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.CORRUPT);
        assertThat(on.sight("alice").corrupt()).isTrue();
    }

    @Test
    default void commit_repeated_answersAlike() {
        RegistryScene on = begin();
        String claim = on.claimed(N1, asking(ordered("alice", "c1", 5)));
        Committed first = on.commit(N1, "alice", claim);
        assertThat(on.commit(N1, "alice", claim)).isEqualTo(first);
        on.activate(N1, "alice", "c1");
        assertThat(on.commit(N1, "alice", claim))
                .isEqualTo(new Committed(Committed.Status.COMMITTED, on.record("alice")));
    }

    @Test
    default void claim_handledByAnother_isNotTheirs() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        Sight open = on.sight("alice");
        for (Writer other : List.of(N1, N3, N2_RESTARTED)) {
            assertThat(on.commit(other, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
            assertThat(on.removePrevious(other, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
            assertThat(on.removeResult(other, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
            assertThat(on.abort(other, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
        }
        assertThat(on.sight("alice")).isEqualTo(open);
        on.commit(N2, "alice", claim);
        ClientRecord committed = on.record("alice");
        assertThat(on.removeResult(N1, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.commit(N2_RESTARTED, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.record("alice")).isEqualTo(committed);
    }

    @Test
    default void abort_openClaim_leavesTheOwnerAndRevokesTheOperation() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        ClientRecord owner = on.record("alice");
        Warrant claiming = on.warrant(N2);
        ClaimRequest request = asking(ordered("alice", "c2", 6));
        String claim = String.valueOf(done(on.backend.claim(claiming, request)).claim());
        assertThat(on.abort(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice")).isEqualTo(new Sight(owner, false, null, 0));
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(done(on.backend.claim(claiming, request)).status()).isEqualTo(Claimed.Status.TOO_LATE);
        assertThat(on.abort(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.claim(N2, request).status()).isEqualTo(Claimed.Status.CLAIMED);
    }

    /** The claim was sent and never answered; whoever gave up must not be claimed for by what is still under way. */
    @Test
    default void abort_beforeTheClaimArrives_revokesIt() {
        RegistryScene on = begin();
        Warrant claiming = on.warrant(N2);
        assertThat(on.abort(N2, "alice", claiming.operation()).status()).isEqualTo(Written.Status.OK);
        assertThat(done(on.backend.claim(claiming, asking(ordered("alice", "c2", 6))))
                        .status())
                .isEqualTo(Claimed.Status.TOO_LATE);
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
    }

    @Test
    default void abort_ofACommittedClaim_leavesTheRecord() {
        RegistryScene on = begin();
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.commit(N2, "alice", claim);
        assertThat(on.abort(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.record("alice").mark()).isEqualTo(claim);
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.COMMITTED);
    }

    @Test
    default void abort_ofAnEarlierClaim_leavesTheLaterOne() {
        RegistryScene on = begin();
        String first = on.claimed(N1, asking(ordered("alice", "c1", 5)));
        String second = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        assertThat(on.abort(N1, "alice", first).status()).isEqualTo(Written.Status.OK);
        assertThat(on.removeResult(N1, "alice", first).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice").claim()).isEqualTo(second);
    }

    @Test
    default void revocation_isOfOneClientAlone() {
        RegistryScene on = begin();
        Warrant claiming = on.warrant(N2);
        on.abort(N2, "alice", claiming.operation());
        assertThat(done(on.backend.claim(claiming, asking(ordered("bob", "c2", 6))))
                        .status())
                .isEqualTo(Claimed.Status.CLAIMED);
    }

    @Test
    default void removePrevious_ofAFreeId_sparesWhoCameMeanwhile() {
        RegistryScene on = begin();
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice").claim()).isEqualTo(claim);
        on.register(N1, ordered("alice", "c1", 7));
        assertThat(on.removePrevious(N2, "alice", claim).status()).isEqualTo(Written.Status.NOT_OWNER);
        assertThat(on.isVisible("alice")).isTrue();
    }

    @Test
    default void removeResult_committed_removesItAndRevokesTheOperation() {
        RegistryScene on = begin();
        Warrant claiming = on.warrant(N2);
        ClaimRequest request = asking(ordered("alice", "c2", 6));
        String claim = String.valueOf(done(on.backend.claim(claiming, request)).claim());
        Warrant committing = on.warrant(N2);
        done(on.backend.commitClaim(committing, "alice", claim));
        on.activate(N2, "alice", "c2");
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice")).isEqualTo(Sight.NOTHING);
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(done(on.backend.commitClaim(committing, "alice", claim)).status())
                .isEqualTo(Committed.Status.LOST);
        assertThat(done(on.backend.claim(claiming, request)).status()).isEqualTo(Claimed.Status.TOO_LATE);
    }

    @Test
    default void removeResult_notCommittedYet_dropsTheClaimAndSparesTheOwner() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        ClientRecord owner = on.record("alice");
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.sight("alice")).isEqualTo(new Sight(owner, false, null, 0));
    }

    @Test
    default void removeResult_afterAnotherTookOver_sparesTheOther() {
        RegistryScene on = begin();
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 6)));
        on.commit(N2, "alice", claim);
        String next = on.claimed(N3, asking(ordered("alice", "c3", 7)));
        on.commit(N3, "alice", next);
        assertThat(on.removeResult(N2, "alice", claim).status()).isEqualTo(Written.Status.OK);
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.LOST);
        assertThat(on.record("alice").mark()).isEqualTo(next);
    }

    @Test
    default void claims_ofANodeThatDies_vanish() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 5));
        String claim = on.claimed(N2, asking(ordered("alice", "c2", 60)));
        done(on.backend.cleanupNode(N2.node()));
        assertThat(on.sight("alice").claim()).isNull();
        assertThat(on.commit(N2, "alice", claim).status()).isEqualTo(Committed.Status.WRITER_DEAD);
        assertThat(on.claim(N3, asking(ordered("alice", "c3", 6))).status()).isEqualTo(Claimed.Status.CLAIMED);
    }
}
