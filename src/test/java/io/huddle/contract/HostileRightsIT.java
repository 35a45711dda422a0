package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.StreamClient;
import io.huddle.harness.Tokens;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.UCallRequest;
import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.ULeaveRequest;
import io.huddle.wire.UMediaStateRequest;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.USignalRequest;
import io.huddle.wire.USubscribeRequest;
import io.huddle.wire.USuspendRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a stream tries that is not its own: every method, on rooms, sessions and clients of others. */
class HostileRightsIT extends HostileContract {
    private final String others = "team-" + unique();

    /** A session and the stream of its ticket. */
    private record Seat(String room, String session, StreamClient stream) {}

    private Seat seat(String ofTeam, String room, String participant) {
        Answer joined = Api.of(node(), Tokens.integrator("ehr-server", ofTeam))
                .joinAs(room, participant)
                .assertStatus(201);
        return new Seat(
                room,
                joined.json().getString("session"),
                keep(StreamClient.to(node(), joined).connect()));
    }

    private Seat seat(String ofTeam, String participant) {
        return seat(ofTeam, openRoom(Api.of(node(), Tokens.integrator("ehr-server", ofTeam)), ofTeam), participant);
    }

    /** Every method, with the error that it must answer on what belongs to another. */
    private static Map<Message, String> attempts(Seat victim) {
        Map<Message, String> all = new LinkedHashMap<>();
        all.put(
                URenewRequest.newBuilder()
                        .setSession(victim.session())
                        .setGeneration(1)
                        .build(),
                "session-not-found");
        all.put(
                USuspendRequest.newBuilder()
                        .setSession(victim.session())
                        .setGeneration(1)
                        .build(),
                "session-not-found");
        all.put(
                ULeaveRequest.newBuilder()
                        .setSession(victim.session())
                        .setGeneration(1)
                        .build(),
                "session-not-found");
        all.put(
                UMediaStateRequest.newBuilder()
                        .setSession(victim.session())
                        .setGeneration(1)
                        .setState("failed")
                        .setFlowing(false)
                        .build(),
                "session-not-found");
        all.put(USubscribeRequest.newBuilder().setRoom(victim.room()).build(), "room-not-found");
        all.put(
                USubscribeRequest.newBuilder()
                        .setRoom(victim.room())
                        .setAfter(0)
                        .build(),
                "room-not-found");
        return all;
    }

    @Test
    void ticketsStream_reachesNothingButItsOwn() {
        Seat mallory = seat(team, "mallory");
        for (Seat victim : List.of(seat(team, "neighbour"), seat(others, "stranger"))) {
            attempts(victim)
                    .forEach((attempt, error) -> assertThat(
                                    mallory.stream().fails(attempt).error())
                            .as("%s", attempt)
                            .isEqualTo(error));
            assertThat(mallory.stream().fails(signal(victim.room(), victim)).error())
                    .isEqualTo("session-not-found");
            assertThat(mallory.stream().fails(signal(mallory.room(), victim)).error())
                    .isEqualTo("session-not-found");
            assertThat(mallory.stream().fails(call(victim.session())).error()).isEqualTo("forbidden");
            assertUntouched(victim);
        }
    }

    @Test
    void key_ofAnotherTeam_reachesNothing() {
        Seat victim = seat(team, "victim");
        StreamClient integrator = keep(signed(key("integrator", others)).connect());
        StreamClient participant = keep(signed(key("participant", others)).connect());
        Key target = key("participant");
        StreamClient called = keep(signed(target).connect());
        for (StreamClient key : List.of(integrator, participant)) {
            attempts(victim)
                    .forEach((attempt, error) -> assertThat(key.fails(attempt).error())
                            .as("%s", attempt)
                            .isEqualTo(error));
            assertThat(key.fails(signal(victim.room(), victim)).error()).isEqualTo("forbidden");
        }
        assertThat(integrator.fails(call(target.client())).error()).isEqualTo("client-not-found");
        assertThat(integrator.fails(call(victim.session())).error()).isEqualTo("client-not-found");
        assertThat(participant.fails(call(target.client())).error()).isEqualTo("forbidden");
        assertThat(called.requests(DCallRequest.class)).isEmpty();
        assertUntouched(victim);
    }

    /** A key whose client id is the text of a participant's subject is still none of another team. */
    @Test
    void key_withTheNameOfAMember_actsForItOnlyInItsTeams() {
        Key key = key("participant", others);
        Seat victim = seat(team, key.client());
        StreamClient stream = keep(signed(key).connect());
        attempts(victim)
                .forEach((attempt, error) -> assertThat(stream.fails(attempt).error())
                        .as("%s", attempt)
                        .isEqualTo(error));
        assertUntouched(victim);
    }

    @Test
    void signal_intoARoomThatWasLeft_arrivesNowhere() {
        Seat ada = seat(team, "ada");
        Seat bob = seat(team, ada.room(), "bob");
        integrator().leave(ada.room(), ada.session(), 1).assertStatus(204);
        String error = ended(ada.stream(), signal(ada.room(), bob));
        assertThat(error).isIn("session-ended", "closed");
        assertThat(ada.stream().awaitClose().code()).isEqualTo(4004);
        assertThat(bob.stream().requests(DSignalRequest.class)).isEmpty();
    }

    /** The stream of the older generation may be alive for a moment after the newer one has joined. */
    @Test
    void streamOfAnOlderGeneration_actsForNobody() {
        Seat ada = seat(team, "ada");
        Seat bob = seat(team, ada.room(), "bob");
        integrator().joinAs(ada.room(), "ada").assertStatus(200);
        Message renewal = URenewRequest.newBuilder()
                .setSession(ada.session())
                .setGeneration(2)
                .build();
        assertThat(ended(ada.stream(), renewal)).isIn("stale-generation", "closed");
        assertThat(ended(ada.stream(), signal(ada.room(), bob))).isIn("stale-generation", "closed");
        assertThat(bob.stream().requests(DSignalRequest.class)).isEmpty();
    }

    /** The error that a call gets, or that the stream had ended. */
    private static String ended(StreamClient stream, Message request) {
        try {
            return stream.fails(request).error();
        } catch (AssertionError closed) {
            assertThat(stream.isClosed())
                    .as(String.valueOf(closed.getMessage()))
                    .isTrue();
            return "closed";
        }
    }

    /** Numbers of byte streams are each connection's own. */
    @Test
    void byteStream_ofAnotherConnection_isNotThere() {
        Seat ada = seat(team, "ada");
        assertThat(ada.stream()
                        .fails(UEchoBytesRequest.newBuilder().setStreamId(2).build())
                        .error())
                .startsWith("invalid-request");
        assertThat(ada.stream()
                        .fails(UEchoBytesRequest.newBuilder().setStreamId(-1).build())
                        .error())
                .startsWith("invalid-request");
    }

    private static USignalRequest signal(String room, Seat to) {
        return USignalRequest.newBuilder()
                .setRoom(room)
                .setToSession(to.session())
                .setKind("offer")
                .setPayload("v=0")
                .build();
    }

    private static UCallRequest call(String client) {
        return UCallRequest.newBuilder()
                .setToClient(client)
                .setType("page")
                .setData("1")
                .build();
    }

    private void assertUntouched(Seat victim) {
        assertThat(states(victim.room())).hasSize(1).allMatch(state -> state.endsWith(":present"));
        assertThat(victim.stream().isClosed()).isFalse();
        assertThat(victim.stream().requests(DSignalRequest.class)).isEmpty();
        assertThat(victim.stream().requests(DCallRequest.class)).isEmpty();
    }
}
