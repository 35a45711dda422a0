package io.huddle.mesh;

import static io.huddle.mesh.Cluster.CLIENT;
import static io.huddle.mesh.Cluster.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.mesh.Cluster.Node;
import io.huddle.mesh.FaultyRegistry.Fault;
import io.huddle.registry.ClaimRequest;
import io.huddle.registry.Claimed;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.Corruption;
import io.huddle.security.Identity;
import io.huddle.stream.ClientConnecting.Rejected;
import io.huddle.stream.ClientReserving;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.TestStreams;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HoldingsTest {
    private final Cluster cluster = new Cluster();
    private final Streams a = new Streams(cluster.node("process-a"));
    private final Streams b = new Streams(cluster.node("process-b"));

    /** A node's streams and what is told of them. */
    private final class Streams {
        final Node node;
        final Map<String, ClientStream> open = new ConcurrentHashMap<>();
        final List<String> told = new CopyOnWriteArrayList<>();
        final Holdings holdings;
        private final TestStreams made = new TestStreams(this::ended);

        Streams(Node node) {
            this.node = node;
            holdings = new Holdings(
                    cluster.faulty.registry,
                    node.seat,
                    node.fences(),
                    new Holdings.Here((client, connection) -> open.containsKey(connection), this::takeOver),
                    new Holdings.Told(
                            heard -> told.add("connected " + heard.stream().connectionId()),
                            heard -> told.add("disconnected " + heard.stream().connectionId())),
                    outcome -> {},
                    Runnable::run);
            node.end =
                    connection -> Objects.requireNonNull(open.get(connection)).close(CloseCause.SUPERSEDED, "");
        }

        private void takeOver(ClientStream stream) {
            if (stream.isDead()) {
                throw new Rejected(CloseCause.NORMAL, "");
            }
        }

        private void ended(ClientStream stream, CloseCause cause) {
            open.remove(stream.connectionId());
            node.alive.remove(stream.connectionId());
            holdings.ended(stream, cause);
        }

        ClientStream begin(Identity identity, String client, boolean supersede) {
            ClientStream stream = made.open(identity, client, supersede);
            open.put(stream.connectionId(), stream);
            node.alive.put(stream.connectionId(), client);
            return stream;
        }

        ClientStream connect(Identity identity, String client, boolean supersede) {
            ClientStream stream = begin(identity, client, supersede);
            try {
                holdings.reserving(new ClientReserving(stream));
            } catch (Rejected rejected) {
                stream.close(rejected.cause(), "");
                throw rejected;
            }
            holdings.activating(stream);
            TestStreams.publish(stream);
            holdings.opened(stream);
            return stream;
        }

        ClientStream participant(long generation) {
            return connect(new Identity.Participant(CLIENT, generation), CLIENT, true);
        }

        ClientStream device(boolean supersede) {
            return connect(new Identity.Client(CLIENT, Set.of(), Set.of("team-1")), CLIENT, supersede);
        }
    }

    private List<ClientRecord> recordsOf(Streams streams) {
        return done(cluster.real.listClientsForNode(streams.node.number));
    }

    private static String connected(ClientStream stream) {
        return "connected " + stream.connectionId();
    }

    private static String disconnected(ClientStream stream) {
        return "disconnected " + stream.connectionId();
    }

    @Test
    void client_thatConnectsAndLeaves_isRecordedAndTold() {
        ClientStream stream = a.device(false);
        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(cluster.record().teams()).containsExactly("team-1");
        assertThat(stream.order()).isEqualTo(cluster.record().order());
        assertThat(a.told).containsExactly(connected(stream));

        stream.close(CloseCause.NORMAL, "");

        assertThat(cluster.sight().record()).isNull();
        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"LOST_REQUEST", "LOST_REPLY", "LATE"})
    void removal_thatIsNotProven_isAskedForAgainAndToldOnce(Fault fault) {
        ClientStream stream = a.device(false);
        cluster.faulty.order("unregister", fault, fault);
        stream.close(CloseCause.NORMAL, "");

        a.holdings.beat();
        assertThat(a.holdings.leftovers()).isEqualTo(1);
        assertThat(a.told).as("before it is proven").containsExactly(connected(stream));
        a.holdings.beat();
        cluster.faulty.deliverLate();
        a.holdings.beat();

        assertThat(a.holdings.leftovers()).isZero();
        assertThat(cluster.sight().record()).isNull();
        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
    }

    @Test
    void participant_whileTheRegistryIsAway_isAdmittedAndRecordedLater() {
        cluster.faulty.away(true);
        ClientStream stream = a.participant(3);
        a.holdings.beat();
        assertThat(stream.isPublic()).isTrue();
        assertThat(a.told).isEmpty();

        cluster.faulty.away(false);
        a.holdings.beat();

        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(cluster.record().generation()).isEqualTo(3);
        assertThat(a.told).containsExactly(connected(stream));
        assertThat(a.holdings.unrecorded()).isEmpty();
    }

    /** The node of an older connection may have its lease, and answers calls through it until the database tells it. */
    @ParameterizedTest
    @CsvSource({"true, 3, 2000", "true, 1, 0", "false, 3, 0"})
    void participant_withoutARecord_isHeldUntilAnOlderConnectionIsFenced(boolean isAway, long generation, long heldMs) {
        cluster.faulty.away(isAway);
        ClientReserving event =
                new ClientReserving(a.begin(new Identity.Participant(CLIENT, generation), CLIENT, true));

        a.holdings.reserving(event);

        assertThat(event.held()).isEqualTo(Duration.ofMillis(heldMs));
    }

    @Test
    void device_whileTheRegistryIsAway_isTurnedAwayAndLeavesNothing() {
        cluster.faulty.order("reserve", Fault.LOST_REPLY, Fault.LATE);

        assertThatThrownBy(() -> a.device(false))
                .isInstanceOfSatisfying(
                        Rejected.class, rejected -> assertThat(rejected.cause()).isEqualTo(CloseCause.NO_CAPACITY));

        cluster.faulty.deliverLate();
        a.holdings.beat();
        assertThat(cluster.sight().record()).isNull();
        assertThat(a.holdings.leftovers()).isZero();
    }

    /** What an earlier try may have left is removed first, or its removal would take the record that is made now. */
    @Test
    void participant_withSomethingLeft_isRecordedOnceThatIsGone() {
        cluster.faulty.order("reserve", Fault.LATE, Fault.LATE);
        cluster.faulty.order("removeClaimResult", Fault.LATE, Fault.LATE);
        ClientStream stream = a.participant(3);
        a.holdings.beat();
        assertThat(cluster.faulty.calls("register")).as("not before").isZero();

        a.holdings.beat();
        assertThat(cluster.owner()).contains(stream.connectionId());
        cluster.faulty.deliverLate();

        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(a.holdings.leftovers()).isZero();
        assertThat(a.told).containsExactly(connected(stream));
    }

    @Test
    void activation_whoseAnswerIsLost_isMadeGoodAtTheNextBeat() {
        cluster.faulty.order("activate", Fault.LOST_REQUEST, Fault.LOST_REQUEST);
        ClientStream stream = a.device(false);
        assertThat(cluster.owner()).isEmpty();

        a.holdings.beat();

        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(a.told).containsExactly(connected(stream));
    }

    @Test
    void stream_thatEndsWhileItIsReserved_leavesNothing() {
        ClientStream stream = a.begin(new Identity.Client(CLIENT, Set.of(), Set.of()), CLIENT, false);
        cluster.faulty.before("reserve", () -> stream.close(CloseCause.NORMAL, ""));

        assertThatThrownBy(() -> a.holdings.reserving(new ClientReserving(stream)))
                .isInstanceOf(Rejected.class);

        assertThat(cluster.sight().record()).isNull();
        assertThat(a.holdings.leftovers()).isZero();
        assertThat(a.told).isEmpty();
    }

    @Test
    void stream_thatEndsWhileItIsRecordedLate_leavesNothing() {
        cluster.faulty.away(true);
        ClientStream stream = a.participant(3);
        cluster.faulty.away(false);
        cluster.faulty.before("register", () -> stream.close(CloseCause.NORMAL, ""));

        a.holdings.beat();
        a.holdings.beat();

        assertThat(cluster.faulty.calls("register")).isEqualTo(1);
        assertThat(cluster.sight().record()).isNull();
        assertThat(a.told).isEmpty();
    }

    @Test
    void metadata_thatCouldNotBeWritten_followsAtTheNextBeat() {
        ClientStream stream = a.device(false);
        cluster.faulty.order("updateMetadata", Fault.LOST_REQUEST, Fault.LOST_REQUEST);
        stream.metadata("{\"a\":1}");
        assertThat(done(a.holdings.synchronise(stream))).isFalse();
        assertThat(cluster.record().metadata()).isEqualTo("{}");

        a.holdings.beat();

        assertThat(cluster.record().metadata()).isEqualTo("{\"a\":1}");
        long calls = cluster.faulty.calls("updateMetadata");
        a.holdings.beat();
        assertThat(cluster.faulty.calls("updateMetadata")).isEqualTo(calls);
    }

    @Test
    void metadata_thatChangesWhileTheStreamIsRecorded_isNotLost() {
        cluster.faulty.away(true);
        ClientStream stream = a.participant(3);
        cluster.faulty.away(false);
        cluster.faulty.before("register", () -> {
            stream.metadata("{\"a\":1}");
            assertThat(done(a.holdings.synchronise(stream))).isFalse();
        });

        a.holdings.beat();
        a.holdings.beat();

        assertThat(cluster.record().metadata()).isEqualTo("{\"a\":1}");
    }

    @Test
    void metadata_ofAnExternalWriteThatIsNotProven_returnsToTheStreams() {
        ClientStream stream = a.device(false);
        cluster.faulty.order("updateMetadata", Fault.LOST_REPLY, Fault.LOST_REQUEST);
        assertThat(done(a.holdings.write(a.node.warrant(), stream, "{\"b\":1}")))
                .isFalse();
        assertThat(cluster.record().metadata()).isEqualTo("{\"b\":1}");

        a.holdings.beat();

        assertThat(cluster.record().metadata()).isEqualTo("{}");
    }

    // Takeover by another node.

    @Test
    void client_thatMovesToAnotherNode_isNotToldToHaveLeft() {
        ClientStream old = a.participant(1);
        ClientStream young = b.participant(2);

        a.holdings.beat();

        assertThat(old.isDead()).isTrue();
        assertThat(TestStreams.cause(old)).isEqualTo(CloseCause.SUPERSEDED);
        assertThat(cluster.owner()).contains(young.connectionId());
        assertThat(a.told).containsExactly(connected(old));
        assertThat(b.told).containsExactly(connected(young));
        assertThat(a.holdings.undecided()).isZero();
    }

    private Claimed claimed(Streams streams, long order) {
        Claimed claimed = done(cluster.real.claim(
                streams.node.warrant(),
                new ClaimRequest(Cluster.registration("x-other", order), State.PENDING, true, null, 0)));
        assertThat(claimed.status()).isEqualTo(Claimed.Status.CLAIMED);
        return claimed;
    }

    @Test
    void departure_duringATakeover_isToldOnceWhenThatComesToNothing() {
        ClientStream stream = a.participant(1);
        Claimed claim = claimed(b, 2);
        stream.close(CloseCause.SUPERSEDED, "");
        a.holdings.beat();
        assertThat(a.told).as("while it is open").containsExactly(connected(stream));
        assertThat(a.holdings.undecided()).isEqualTo(1);

        done(cluster.real.abortClaim(b.node.warrant(), CLIENT, String.valueOf(claim.claim())));
        a.holdings.beat();
        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
    }

    /** Whoever comes back here meanwhile and is turned away does not make the departure forgotten. */
    @Test
    void departure_duringATakeover_isToldThoughAReplacementHereWasRefused() {
        ClientStream stream = a.participant(2);
        Claimed claim = claimed(b, 3);
        stream.close(CloseCause.SUPERSEDED, "");
        a.holdings.beat();
        assertThatThrownBy(() -> a.participant(1)).isInstanceOf(Rejected.class);
        a.holdings.beat();
        assertThat(a.told).as("while it is open").containsExactly(connected(stream));

        done(cluster.real.abortClaim(b.node.warrant(), CLIENT, String.valueOf(claim.claim())));
        a.holdings.beat();
        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
    }

    @Test
    void departure_duringATakeover_isNotToldWhenThatIsCommitted() {
        ClientStream stream = a.participant(1);
        Claimed claim = claimed(b, 2);
        stream.close(CloseCause.SUPERSEDED, "");
        done(cluster.real.commitClaim(b.node.warrant(), CLIENT, String.valueOf(claim.claim())));

        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream));
        assertThat(a.holdings.undecided()).isZero();
    }

    @Test
    void departure_whileNobodyCanTell_isDecidedLater() {
        ClientStream stream = a.participant(1);
        cluster.faulty.order("getClientIncludingPending", Fault.LOST_REQUEST, Fault.LOST_REQUEST);
        stream.close(CloseCause.NORMAL, "");
        a.holdings.beat();
        assertThat(a.told).containsExactly(connected(stream));

        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
    }

    /** In a young epoch the record may be one that another node has not brought back yet. */
    @Test
    void departure_inAYoungEpoch_isDecidedOnceThatIsOldEnough() {
        ClientStream stream = a.participant(1);
        a.node.isYoung = true;
        stream.close(CloseCause.NORMAL, "");
        a.holdings.beat();
        assertThat(cluster.sight().record()).isNull();
        assertThat(a.told).containsExactly(connected(stream));
        assertThat(a.holdings.undecided()).isEqualTo(1);

        a.node.isYoung = false;
        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
        assertThat(a.holdings.undecided()).isZero();
    }

    // Lost and regained.

    private void renumber(Streams streams, boolean isEmptied) {
        long old = streams.node.number;
        streams.node.loseLease();
        streams.node.declareDead();
        if (isEmptied) {
            done(cluster.real.cleanupNode(old));
        }
        streams.node.join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void lease_thatComesBack_findsTenThousandStreamsAndEndsNone(boolean isEmptied) {
        List<ClientStream> streams = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            String client = "client-" + i;
            streams.add(a.connect(new Identity.Client(client, Set.of(), Set.of()), client, false));
        }
        Map<String, Long> orders = new ConcurrentHashMap<>();
        streams.forEach(stream -> orders.put(stream.clientId(), stream.order()));
        cluster.clock.addAndGet(5_000);
        renumber(a, isEmptied);
        long begun = System.nanoTime();

        a.holdings.gained();

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
        assertThat(a.holdings.unrecorded()).isEmpty();
        assertThat(streams).allMatch(ClientStream::isPublic);
        assertThat(cluster.fenced).isEmpty();
        List<ClientRecord> records = recordsOf(a);
        assertThat(records)
                .hasSize(10_000)
                .allMatch(record -> Long.valueOf(record.order()).equals(orders.get(record.clientId())));
        assertThat(records).allMatch(record -> record.connectedAt() == 1_000_000);
        assertThat(a.told).as("each once").hasSize(10_000);
        assertThat(a.holdings.leftovers()).isZero();
    }

    @Test
    void comparison_thatGotNoAnswer_isBegunAgainAtOnce() {
        ClientStream stream = a.device(false);
        renumber(a, true);
        cluster.faulty.away(true);
        a.holdings.gained();
        assertThat(cluster.owner()).isEmpty();

        cluster.faulty.away(false);
        a.holdings.beat();

        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(recordsOf(a)).hasSize(1);
    }

    @Test
    void record_thatTheRegistryHasLost_isFoundByTheComparison() {
        ClientStream stream = a.device(false);
        long order = stream.order();
        done(cluster.real.unregister(a.node.warrant(), CLIENT, stream.connectionId(), false));

        a.holdings.compare();

        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(cluster.record().order()).isEqualTo(order);
        assertThat(a.told).containsExactly(connected(stream));
    }

    @Test
    void record_thatTheRegistryHasLost_isFoundThoughTheFirstComparisonGotNoAnswer() {
        ClientStream stream = a.device(false);
        done(cluster.real.unregister(a.node.warrant(), CLIENT, stream.connectionId(), false));
        cluster.faulty.order("listRecordsOfNode", Fault.LOST_REQUEST);
        a.holdings.compare();
        assertThat(cluster.owner()).isEmpty();

        a.holdings.beat();

        assertThat(cluster.owner()).contains(stream.connectionId());
    }

    @Test
    void record_withoutAStream_isRemovedByTheComparison() {
        done(cluster.real.register(a.node.warrant(), Cluster.registration("x-forgotten", 4)));

        a.holdings.compare();

        assertThat(cluster.sight().record()).isNull();
    }

    @Test
    void stream_whoseClientWasTakenElsewhereByAHigherOrder_isClosedAsSuperseded() {
        ClientStream stream = a.participant(1);
        renumber(a, true);
        ClientStream young = b.participant(2);

        a.holdings.gained();

        assertThat(TestStreams.cause(stream)).isEqualTo(CloseCause.SUPERSEDED);
        assertThat(cluster.owner()).contains(young.connectionId());
    }

    @Test
    void stream_whoseClientIsElsewhereWithALowerOrder_takesItBack() {
        ClientStream stream = a.participant(5);
        renumber(a, true);
        ClientStream old = b.participant(2);

        a.holdings.gained();
        a.holdings.beat();

        assertThat(stream.isPublic()).isTrue();
        assertThat(TestStreams.cause(old)).isEqualTo(CloseCause.SUPERSEDED);
        assertThat(cluster.owner()).contains(stream.connectionId());
        assertThat(a.holdings.unrecorded()).isEmpty();
    }

    @Test
    void stream_whoseClientIsOnlyClaimedElsewhere_isNotClosed() {
        ClientStream stream = a.participant(1);
        renumber(a, true);
        Claimed claim = claimed(b, 2);
        a.holdings.gained();
        assertThat(stream.isPublic()).isTrue();

        done(cluster.real.abortClaim(b.node.warrant(), CLIENT, String.valueOf(claim.claim())));
        a.holdings.beat();

        assertThat(stream.isPublic()).isTrue();
        assertThat(cluster.owner()).contains(stream.connectionId());
    }

    @Test
    void ownRecord_thatNobodyCanRead_isWrittenAnew() {
        ClientStream stream = a.participant(1);
        Corruption.of(cluster.real, CLIENT);

        a.holdings.compare();
        a.holdings.beat();

        assertThat(stream.isPublic()).isTrue();
        assertThat(cluster.owner()).contains(stream.connectionId());
    }

    /** The record that cannot be read may be that of whoever superseded it. */
    @Test
    void unreadableRecord_whenASupersededStreamEnds_stays() {
        ClientStream stream = a.participant(1);
        Corruption.of(cluster.real, CLIENT);

        stream.close(CloseCause.SUPERSEDED, "");

        assertThat(cluster.sight().corrupt()).isTrue();
        assertThat(a.holdings.leftovers()).isZero();
    }

    @Test
    void stream_thatEndedWithoutALease_isToldToHaveLeftWhenThatIsKnown() {
        ClientStream stream = a.participant(1);
        renumber(a, true);
        a.node.hasLease = false;
        stream.close(CloseCause.NORMAL, "");
        a.holdings.beat();
        assertThat(a.told).containsExactly(connected(stream));

        a.node.hasLease = true;
        a.holdings.beat();

        assertThat(a.told).containsExactly(connected(stream), disconnected(stream));
        assertThat(a.holdings.leftovers()).isZero();
    }

    @Test
    void registrations_handedBack_areProvenGone() {
        ClientStream stream = a.device(false);
        assertThat(a.holdings.isHandedBack(Duration.ofMillis(20))).isFalse();
        cluster.faulty.order("unregister", Fault.LOST_REPLY);
        stream.close(CloseCause.DRAINING, "");
        assertThat(a.holdings.isHandedBack(Duration.ofMillis(20))).isFalse();

        a.holdings.beat();

        assertThat(a.holdings.isHandedBack(Duration.ofMillis(20))).isTrue();
        assertThat(recordsOf(a)).isEmpty();
    }
}
