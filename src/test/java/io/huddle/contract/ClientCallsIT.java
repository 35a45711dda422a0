package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.UCallRequest;
import io.huddle.wire.UCallResponse;
import io.huddle.wire.USetMetadataRequest;
import io.huddle.wire.USetMetadataResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls from client to client, and what a client tells of itself. */
class ClientCallsIT extends StreamContract {
    /** What no JSON library writes as it was read. */
    private static final String DATA =
            "{\"list\":[], \"big\":9007199254740993,\"f\":0.12345678901234567,\"z\":1,\"a\":\"\\u00e9é\"}";

    @Test
    void call_toAClientOfTheTeam_passesDataByteForByte() {
        String id = "c-" + unique();
        StreamClient target = client(id, "participant", team);
        target.answer(
                DCallRequest.class,
                call -> DCallResponse.newBuilder().setData(call.getData()).build());
        StreamClient caller = client("integrator", team);

        UCallResponse answer = caller.call(call(id, DATA), UCallResponse.class);

        assertThat(answer.getData()).isEqualTo(DATA);
        assertThat(target.requests(DCallRequest.class))
                .singleElement()
                .satisfies(seen -> assertThat(seen.getType()).isEqualTo("page"));
    }

    @Test
    void call_toAParticipantOfTheTeam_reachesItsStream() {
        Member ada = member("ada", openRoom(participant("ada")));
        ada.stream()
                .answer(
                        DCallRequest.class,
                        call -> DCallResponse.newBuilder().setData("null").build());

        assertThat(client("integrator", team)
                        .call(call(ada.session(), "[1]"), UCallResponse.class)
                        .getData())
                .isEqualTo("null");
        assertThat(client("integrator", "team-of-others")
                        .fails(call(ada.session(), "[1]"))
                        .error())
                .isEqualTo("client-not-found");
    }

    @Test
    void call_thatMayNotOrCannotBe_isRefused() {
        Member ada = member("ada", openRoom(participant("ada")));
        StreamClient caller = client("integrator", team);

        for (String nobody : List.of("c-nobody", "", "c-" + "x".repeat(1_023), "\u00e4".repeat(600))) {
            assertThat(caller.fails(call(nobody, "1")).error()).isEqualTo("client-not-found");
        }
        assertThat(caller.fails(call(ada.session(), "{")).error()).startsWith("invalid-request: data");
        assertThat(caller.fails(call(ada.session(), "1 2")).error()).startsWith("invalid-request: data");
        assertThat(caller.fails(call(ada.session(), "1").toBuilder()
                                .setTimeoutMs(60_001)
                                .build())
                        .error())
                .startsWith("invalid-request: timeoutMs");
        assertThat(ada.stream().fails(call(ada.session(), "1")).error()).isEqualTo("forbidden");
        assertThat(client("participant", team).fails(call(ada.session(), "1")).error())
                .isEqualTo("forbidden");
        assertThat(ada.stream().requests(DCallRequest.class)).isEmpty();
    }

    @Test
    void call_thatTheClientRefuses_isAClientErrorWithItsFlag() {
        Member ada = member("ada", openRoom(participant("ada")));
        ada.stream().answer(DCallRequest.class, call -> {
            throw call.getData().equals("1")
                    ? new IllegalArgumentException("the user's fault")
                    : new IllegalStateException("mine");
        });
        StreamClient caller = client("integrator", team);

        StreamClient.Failed users = caller.fails(call(ada.session(), "1"));
        StreamClient.Failed own = caller.fails(call(ada.session(), "2"));

        assertThat(users.error()).isEqualTo("client-error");
        assertThat(users.isUserError()).isTrue();
        assertThat(own.error()).isEqualTo("client-error");
        assertThat(own.isUserError()).isFalse();
    }

    @Test
    void call_thatIsNotAnswered_mayHaveBeenDone() {
        Member ada = member("ada", openRoom(participant("ada")));
        ada.stream().answerLater(DCallRequest.class, call -> new CompletableFuture<DCallResponse>());
        StreamClient caller = client("integrator", team);

        assertThat(caller.fails(call(ada.session(), "1").toBuilder()
                                .setTimeoutMs(300)
                                .build())
                        .error())
                .isEqualTo("delivery-indeterminate");
        var pending = caller.callLater(call(ada.session(), "2"));
        ada.stream().await(DCallRequest.class, 2);
        ada.stream().abort();

        assertThat(pending)
                .failsWithin(java.time.Duration.ofSeconds(10))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withMessageContaining("delivery-indeterminate");
    }

    @Test
    void metadata_nearItsLimit_isTakenAndBeyondItRefused() {
        StreamClient client = client("participant", team);
        String large = "{\"notes\":\"" + "x".repeat(60 * 1024) + "\",\"big\":9007199254740993}";

        assertThat(client.call(metadata(large), USetMetadataResponse.class).getAccepted())
                .isTrue();
        assertThat(client.fails(metadata("{\"a\":\"" + "é".repeat(33_000) + "\"}"))
                        .error())
                .isEqualTo("payload-too-large");
        assertThat(client.fails(metadata("{\"a\":1,\"a\":2}")).error()).startsWith("invalid-request: metadata");
        assertThat(client.fails(metadata("[]")).error()).startsWith("invalid-request: metadata");
        assertThat(client.fails(metadata("{} {}")).error()).startsWith("invalid-request: metadata");
    }

    private static UCallRequest call(String client, String data) {
        return UCallRequest.newBuilder()
                .setToClient(client)
                .setType("page")
                .setData(data)
                .build();
    }

    private static USetMetadataRequest metadata(String json) {
        return USetMetadataRequest.newBuilder().setMetadata(json).build();
    }
}
