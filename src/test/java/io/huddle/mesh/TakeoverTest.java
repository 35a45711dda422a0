package io.huddle.mesh;

import static io.huddle.mesh.Cluster.CLIENT;
import static io.huddle.mesh.Cluster.done;
import static io.huddle.mesh.Cluster.registration;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Cluster.Node;
import io.huddle.mesh.FaultyRegistry.Fault;
import io.huddle.mesh.Takeover.Outcome;
import io.huddle.mesh.Takeover.Result;
import io.huddle.mesh.Takeover.Standing;
import io.huddle.registry.ClaimRequest;
import io.huddle.registry.Claimed;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.Corruption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TakeoverTest {
    private final Cluster cluster = new Cluster();
    private final Node a = cluster.node("process-a");
    private final Node b = cluster.node("process-b");
    private final Node c = cluster.node("process-c");

    private void assertNothingLeft(String... otherThan) {
        cluster.faulty.deliverLate();
        for (Node node : List.of(a, b, c)) {
            node.remainders.again();
            assertThat(node.remainders.size()).as("what is left to remove").isZero();
        }
        assertThat(cluster.sight().claim()).as("an open claim").isNull();
        assertThat(Optional.ofNullable(cluster.sight().record()).stream().map(ClientRecord::connectionId))
                .containsExactly(otherThan);
    }

    private Claimed claimOf(Node node, String connection, long order) {
        return done(cluster.real.claim(
                node.warrant(), new ClaimRequest(registration(connection, order), State.PENDING, true, null, 0)));
    }

    @Test
    void freeId_isReserved_inOneRequest() {
        Result result = a.take("x-1", 7, false);

        assertThat(result.outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.record().state()).isEqualTo(State.PENDING);
        assertThat(cluster.faulty.calls).containsExactly("reserve");
    }

    @Test
    void oldConnection_untilItsFenceIsAcknowledged_isTheOwnerEverybodySees() {
        a.connected("x-1", 1);
        AtomicReference<Optional<String>> seen = new AtomicReference<>(Optional.empty());
        cluster.trouble = record -> {
            seen.set(cluster.owner());
            return null;
        };

        Result result = b.take("x-2", 2, false);

        assertThat(seen.get()).contains("x-1");
        assertThat(result.outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.fenced).containsExactly("x-1");
        assertThat(cluster.record().connectionId()).isEqualTo("x-2");
        assertNothingLeft("x-2");
    }

    @Test
    void lowerOrder_thanTheRecord_isRefusedAsOlder() {
        a.connected("x-9", 9);

        assertThat(b.take("x-2", 2, true).outcome()).isEqualTo(Outcome.NEWER);
        assertThat(cluster.fenced).isEmpty();
        assertNothingLeft("x-9");
    }

    @Test
    void lowerOrder_whileAHigherClaims_isRefusedAsOlder() {
        a.connected("x-1", 1);
        List<Outcome> lower = new ArrayList<>();
        cluster.faulty.before(
                "commitClaim", () -> lower.add(c.take("x-3", 3, true).outcome()));

        assertThat(b.take("x-5", 5, true).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(lower).containsExactly(Outcome.NEWER);
        assertNothingLeft("x-5");
    }

    @Test
    void lowerClaim_whenAHigherComes_losesToIt() {
        a.connected("x-1", 1);
        List<Outcome> higher = new ArrayList<>();
        cluster.faulty.before(
                "commitClaim", () -> higher.add(c.take("x-5", 5, true).outcome()));

        assertThat(b.take("x-3", 3, true).outcome()).isEqualTo(Outcome.AGAIN);
        assertThat(higher).containsExactly(Outcome.TAKEN);
        assertThat(cluster.fenced).containsExactly("x-1");
        assertNothingLeft("x-5");
    }

    @Test
    void liveOwnerOfTheSameOrder_withoutLeaveToSupersede_isAConflict() {
        a.connected("x-1", 0);

        assertThat(b.take("x-2", 0, false).outcome()).isEqualTo(Outcome.CONFLICT);
        assertThat(cluster.fenced).isEmpty();
        assertNothingLeft("x-1");
    }

    /** The copy came when nobody was in the way any more, and its claim, which nobody knew of, held the id for half a minute. */
    @Test
    void refusedClaim_whoseCopyArrivesLate_leavesNothing() {
        a.connected("x-1", 0);
        cluster.faulty.order("claim", Fault.TWICE);
        assertThat(b.take("x-2", 0, false).outcome()).isEqualTo(Outcome.CONFLICT);

        done(cluster.real.unregister(a.warrant(), CLIENT, "x-1", false));

        assertNothingLeft();
    }

    /** The same of a claim that was refused before the one that was committed. */
    @Test
    void refusedClaim_ofATakeoverThatSucceeds_leavesNothing() {
        a.connected("x-1", 0);
        a.alive.clear();
        cluster.faulty.order("claim", Fault.LATE);
        assertThat(b.take("x-2", 0, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.record().connectionId()).isEqualTo("x-2");

        done(cluster.real.unregister(b.warrant(), CLIENT, "x-2", false));

        assertNothingLeft();
    }

    @Test
    void endedConnection_whoseNodeSaysSo_makesWay() {
        a.connected("x-1", 0);
        a.alive.clear();

        assertThat(b.take("x-2", 0, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertNothingLeft("x-2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void liveOwner_thatCannotBeReached_isRetryableAndNeverAConflict(boolean supersede) {
        a.connected("x-1", 0);
        cluster.trouble = record -> Standing.UNREACHABLE;

        assertThat(b.take("x-2", 0, supersede).outcome()).isEqualTo(Outcome.AGAIN);
        assertThat(cluster.owner()).contains("x-1");
        assertNothingLeft("x-1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recordOfADeadNode_withProof_isTakenOverAtOnceAndAsksNobody(boolean supersede) {
        a.connected("x-1", 0);
        a.crash();
        a.declareDead();
        List<ClientRecord> asked = new ArrayList<>();
        cluster.trouble = record -> {
            asked.add(record);
            return null;
        };

        assertThat(b.take("x-2", 0, supersede).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(asked.isEmpty() || supersede).isTrue();
        assertThat(cluster.record().connectionId()).isEqualTo("x-2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void recordOfASilentNode_withoutProof_staysTheOwner(boolean supersede) {
        a.connected("x-1", 0);
        a.crash();

        assertThat(b.take("x-2", 0, supersede).outcome()).isEqualTo(Outcome.AGAIN);
        assertThat(cluster.owner()).contains("x-1");
    }

    @Test
    void node_thatDiesWhileItIsAskedToFence_isTakenOver() {
        a.connected("x-1", 1);
        cluster.trouble = record -> {
            a.crash();
            a.declareDead();
            return Standing.UNKNOWN;
        };

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
    }

    @Test
    void claimOfADeadNode_goesWithTheProofAndNotBefore() {
        claimOf(a, "x-1", 5);
        a.crash();

        assertThat(b.take("x-2", 5, true).outcome()).isEqualTo(Outcome.AGAIN);
        a.declareDead();
        assertThat(b.take("x-3", 5, true).outcome()).isEqualTo(Outcome.TAKEN);
    }

    /** A lease came back under another number: the stream's own old record must not lead to the stream's own fence. */
    @Test
    void ownRecord_underANumberThatHasEnded_isTakenOverWithoutAFence() {
        a.connected("x-1", 0);
        a.declareDead();
        a.join();

        Result result = a.take("x-1", 0, false);

        assertThat(result.outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.fenced).isEmpty();
        assertThat(cluster.record().node()).isEqualTo(a.number);
    }

    /** The process lives on under another number, and so does the stream: a dead number proves nothing about it. */
    @Test
    void liveConnectionOfThisProcess_underANumberThatHasEnded_isAConflict() {
        a.connected("x-1", 0);
        a.declareDead();
        a.join();

        assertThat(a.take("x-2", 0, false).outcome()).isEqualTo(Outcome.CONFLICT);
        assertThat(cluster.owner()).contains("x-1");
        assertThat(a.take("x-3", 0, true).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.fenced).containsExactly("x-1");
    }

    @Test
    void capturedGeneration_thatWasChangedMeanwhile_isRemovedAndReplaced() {
        a.connected("x-1", 1);
        cluster.faulty.before(
                "commitClaim", () -> done(cluster.real.updateMetadata(a.warrant(), CLIENT, "x-1", "{\"b\":1}")));

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.faulty.calls("commitClaim")).isEqualTo(2);
        assertNothingLeft("x-2");
    }

    @Test
    void reconnect_thatIsNotTheCapturedGeneration_isNeverRemoved() {
        a.connected("x-1", 1);
        cluster.faulty.before("commitClaim", () -> {
            // The same node and connection id, but another generation; it may not win, and may not be lost either.
            done(cluster.real.unregister(a.warrant(), CLIENT, "x-1", false));
            done(cluster.real.register(a.warrant(), registration("x-1", 3)));
        });

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.AGAIN);
        assertNothingLeft("x-1");
        assertThat(cluster.record().order()).isEqualTo(3);
    }

    @Test
    void fence_whoseAnswerIsLost_isAskedForAgain() {
        a.connected("x-1", 1);
        cluster.trouble = record -> cluster.fenced.isEmpty() ? Standing.UNKNOWN : null;

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertThat(cluster.fenced).containsExactly("x-1");
    }

    @Test
    void owner_thatIsGoneWhenItsNodeCannotBeReached_needsNoFence() {
        a.connected("x-1", 1);
        cluster.trouble = record -> {
            done(cluster.real.unregister(a.warrant(), CLIENT, "x-1", false));
            return Standing.UNREACHABLE;
        };

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void claim_whoseRequestMeetsAFault_isMadeOnce(Fault fault) {
        a.connected("x-1", 1);
        cluster.faulty.order("claim", fault, fault);

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertNothingLeft("x-2");
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void commit_whoseRequestMeetsAFault_isMadeOnce(Fault fault) {
        a.connected("x-1", 1);
        cluster.faulty.order("commitClaim", fault, fault);

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertNothingLeft("x-2");
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void reservation_whoseRequestMeetsAFaultOnce_isMadeOnce(Fault fault) {
        cluster.faulty.order("reserve", fault);

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.TAKEN);
        assertNothingLeft("x-2");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"LOST_REQUEST", "LOST_REPLY", "LATE"})
    void reservation_thatNobodyAnswers_leavesNothing(Fault fault) {
        cluster.faulty.order("reserve", fault, fault);

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "commitClaim"})
    void takeover_whoseAnswerNeverComes_leavesNothing(String method) {
        Node hasty = cluster.hasty("process-h");
        a.connected("x-1", 1);
        Fault[] all = new Fault[200];
        java.util.Arrays.fill(all, Fault.LOST_REPLY);
        cluster.faulty.order(method, all);

        assertThat(hasty.take("x-2", 2, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        hasty.remainders.again();
        assertThat(hasty.remainders.size()).isZero();
        assertThat(cluster.sight().claim()).isNull();
        assertThat(cluster.owner()).isEqualTo(method.equals("claim") ? Optional.of("x-1") : Optional.empty());
    }

    @Test
    void registryAway_isToldAtOnce() {
        cluster.faulty.away(true);

        assertThat(a.take("x-1", 1, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(cluster.faulty.calls("reserve")).isEqualTo(2);
        cluster.faulty.away(false);
        assertNothingLeft();
    }

    @Test
    void node_withoutALease_takesNothing() {
        a.loseLease();

        assertThat(a.take("x-1", 1, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(cluster.faulty.calls).isEmpty();
    }

    @Test
    void lease_thatEndsDuringTheCommit_ownsNothing() {
        a.connected("x-1", 1);
        cluster.faulty.before("commitClaim", b::loseLease);

        assertThat(b.take("x-2", 2, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
    }

    @Test
    void corruptRecord_isRetryableUntilEveryNodeSaysThatTheClientIsNotThere() {
        a.connected("x-1", 1);
        Corruption.of(cluster.real, CLIENT);

        assertThat(b.take("x-2", 2, true).outcome()).as("it lives").isEqualTo(Outcome.AGAIN);
        a.alive.clear();
        cluster.isEverybodyHeard = false;
        assertThat(b.take("x-3", 2, true).outcome()).as("one is silent").isEqualTo(Outcome.AGAIN);
        assertThat(cluster.sight().corrupt()).isTrue();

        cluster.isEverybodyHeard = true;
        assertThat(b.take("x-4", 2, true).outcome()).isEqualTo(Outcome.TAKEN);
        assertNothingLeft("x-4");
    }

    @Test
    void otherEpoch_isDoubted() {
        done(cluster.real.beginEpoch("another"));

        assertThat(a.take("x-1", 1, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(a.doubts).containsExactly("OTHER_EPOCH " + a.number);
    }

    @Test
    void deadWriter_isDoubtedAsThat() {
        done(cluster.real.cleanupNode(a.number));

        assertThat(a.take("x-1", 1, false).outcome()).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(a.doubts).containsExactly("WRITER_DEAD " + a.number);
    }
}
