package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.client.ByteInput;
import io.huddle.client.ByteOutput;
import io.huddle.client.ClientKey;
import io.huddle.client.ClientOptions;
import io.huddle.client.HuddleClient;
import io.huddle.client.RemoteError;
import io.huddle.cluster.MeshCluster.Badge;
import io.huddle.cluster.MeshCluster.Guest;
import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.DEventsRequest;
import io.huddle.wire.DEventsResponse;
import io.huddle.wire.DSignalRequest;
import io.huddle.wire.DSignalResponse;
import io.huddle.wire.UCallRequest;
import io.huddle.wire.UCallResponse;
import io.huddle.wire.USetMetadataRequest;
import io.huddle.wire.USetMetadataResponse;
import io.huddle.wire.USignalRequest;
import io.huddle.wire.USignalResponse;
import io.huddle.wire.USubscribeRequest;
import io.huddle.wire.USubscribeResponse;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients are where they are; whoever asks need not know. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ReachIT {
    private final MeshCluster mesh = MeshCluster.healed();
    private final String team = mesh.team();

    @Test
    void client_onAnotherNode_isSeenCalledChangedAndDisconnected() {
        Badge badge = mesh.badge(team);
        StreamClient stream = badge.connect(mesh.two, "here");
        String path = "/clients/" + badge.id();
        for (Node node : mesh.nodes()) {
            Api api = mesh.integrator(team, node);
            assertThat(MeshCluster.label(api, badge.id())).isEqualTo("here");
            JsonObject shown = api.get(path).assertStatus(200).json();
            assertThat(shown.getString("client")).isEqualTo(badge.id());
            assertThat(MeshCluster.listed(api, "")).containsOnlyKeys(badge.id());
            assertThat(MeshCluster.listed(api, "&node=" + shown.getString("node")))
                    .containsOnlyKeys(badge.id());
            api.patch(
                            path + "/metadata",
                            Api.json().add("by-" + node.name(), true).build())
                    .assertStatus(200);
        }
        Awaiting.asserted(() -> assertThat(mesh.integrator(team, mesh.one)
                        .get(path)
                        .json()
                        .getJsonObject("metadata")
                        .keySet())
                .containsExactlyInAnyOrder("by-mesh-1", "by-mesh-2", "by-mesh-3"));

        mesh.operator(mesh.three).delete(path).assertStatus(204);

        assertThat(stream.awaitClose().code()).isEqualTo(4005);
        for (Node node : mesh.nodes()) {
            Awaiting.asserted(() -> mesh.integrator(team, node).get(path).assertProblem(404, "client-not-found"));
            MeshCluster.invoke(mesh.integrator(team, node), badge.id()).assertProblem(404, "client-not-found");
        }
    }

    /**
     * Metadata was changed on its way through the store: empty lists became objects, large numbers lost digits. And near its
     * limit it could not be sent at all, since it travelled in the address.
     */
    @Test
    void metadata_nearItsLimit_crossesStoreAndLinkUnchanged() {
        Badge badge = mesh.badge(team);
        StreamClient stream = badge.connect(mesh.two, "here");
        String given = "{\"list\":[],\"big\":9007199254740991,\"f\":0.1234567890123456,\"notes\":\""
                + "é".repeat(30 * 1024) + "\"}";
        stream.call(USetMetadataRequest.newBuilder().setMetadata(given).build(), USetMetadataResponse.class);

        for (Node node : mesh.nodes()) {
            Awaiting.asserted(() -> assertThat(mesh.integrator(team, node)
                            .get("/clients/" + badge.id())
                            .text())
                    .contains("\"metadata\":" + given));
        }
        Answer patched = mesh.integrator(team, mesh.three)
                .send(
                        "PATCH",
                        "/clients/" + badge.id() + "/metadata",
                        "application/json",
                        "{\"notes\":null,\"more\":{\"none\":[],\"big\":-9007199254740991}}"
                                .getBytes(StandardCharsets.UTF_8))
                .assertStatus(200);
        assertThat(patched.json().getJsonObject("metadata"))
                .hasToString("{\"list\":[],\"big\":9007199254740991,\"f\":0.1234567890123456,"
                        + "\"more\":{\"none\":[],\"big\":-9007199254740991}}");
        assertThat(mesh.integrator(team, mesh.one)
                        .get("/clients/" + badge.id())
                        .json()
                        .getJsonObject("metadata"))
                .isEqualTo(patched.json().getJsonObject("metadata"));
        mesh.integrator(team, mesh.one)
                .patch(
                        "/clients/" + badge.id() + "/metadata",
                        Api.json().add("a", "x".repeat(60_000)).build())
                .assertStatus(200);
        mesh.integrator(team, mesh.one)
                .patch(
                        "/clients/" + badge.id() + "/metadata",
                        Api.json().add("b", "x".repeat(10_000)).build())
                .assertProblem(413, "payload-too-large");
    }

    @Test
    void call_fromAStreamOfAnotherNode_isAnsweredByTheClient() {
        Badge badge = mesh.badge(team);
        Guest ada = mesh.guest(team, mesh.room(team, 20, 60), "ada", mesh.three);
        badge.connect(mesh.two, "badge");
        StreamClient caller = mesh.badge(team, "integrator").connect(mesh.one, "caller");

        assertThat(caller.call(call(badge.id()), UCallResponse.class).getData()).isEqualTo("\"badge\"");
        assertThat(caller.fails(call(ada.session())).error()).isEqualTo("client-error");
        assertThat(caller.fails(call("c-nobody")).error()).isEqualTo("client-not-found");
        assertThat(mesh.badge("mesh-team-of-others", "integrator")
                        .connect(mesh.one, "stranger")
                        .fails(call(badge.id()))
                        .error())
                .isEqualTo("client-not-found");
    }

    @Test
    void signal_betweenParticipantsOfDifferentNodes_arrives() {
        String room = mesh.room(team, 20, 60);
        Guest ada = mesh.guest(team, room, "ada", mesh.one);
        Guest bob = mesh.guest(team, room, "bob", mesh.two);
        bob.stream().answer(DSignalRequest.class, signal -> DSignalResponse.getDefaultInstance());

        USignalResponse answer = ada.stream()
                .call(
                        USignalRequest.newBuilder()
                                .setRoom(room)
                                .setToSession(bob.session())
                                .setKind("offer")
                                .setPayload("v=0")
                                .build(),
                        USignalResponse.class);

        assertThat(answer.getDelivered()).isTrue();
        assertThat(bob.stream().await(DSignalRequest.class, 1)).singleElement().satisfies(signal -> {
            assertThat(signal.getFromSession()).isEqualTo(ada.session());
            assertThat(signal.getPayload()).isEqualTo("v=0");
        });
    }

    @Test
    void event_ofOneNode_reachesWatchersOfAnotherWithinASecond() {
        String room = mesh.room(team, 20, 60);
        Guest ada = mesh.guest(team, room, "ada", mesh.three);
        ada.stream()
                .answer(
                        DEventsRequest.class,
                        events -> DEventsResponse.newBuilder()
                                .setSeq(events.getEvents(events.getEventsCount() - 1)
                                        .getSeq())
                                .build());
        ada.stream().call(USubscribeRequest.newBuilder().setRoom(room).build(), USubscribeResponse.class);
        List<Duration> delays = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String participant = "p" + i;
            long start = System.nanoTime();
            Member.join(mesh.integrator(team, mesh.one), room, participant);
            Awaiting.until(
                    "the event of " + participant,
                    () -> ada.stream().requests(DEventsRequest.class).stream()
                            .flatMap(events -> events.getEventsList().stream())
                            .anyMatch(event -> event.getParticipant().equals(participant)));
            delays.add(Duration.ofNanos(System.nanoTime() - start));
        }
        assertThat(delays).allMatch(delay -> delay.compareTo(Duration.ofSeconds(1)) < 0);
    }

    /** A client that seventeen nodes called refused the last of them: what one may hold open was counted by requester. */
    @Test
    void client_calledByManyAtOnceFromEverywhere_refusesNobody() {
        Badge badge = mesh.badge(team);
        badge.connect(mesh.two, "here");
        List<StreamClient> callers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            callers.add(mesh.badge(team, "integrator").connect(mesh.node(i), "caller"));
        }
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int turn = 0; turn < 5; turn++) {
            for (int i = 0; i < callers.size(); i++) {
                calls.add(callers.get(i).callLater(call(badge.id())));
                calls.add(MeshCluster.invokeLater(mesh.integrator(team, mesh.node(i)), badge.id())
                        .thenApply(answer -> answer.assertStatus(200)));
            }
            calls.forEach(CompletableFuture::join);
        }
        assertThat(calls).hasSize(200).allMatch(call -> !call.isCompletedExceptionally());
    }

    /** After some thousand calls between two nodes most were refused: what was remembered of them filled up. */
    @Test
    void calls_sustained_areAllServed() throws InterruptedException {
        Badge badge = mesh.badge(team);
        badge.connect(mesh.two, "here");
        StreamClient caller = mesh.badge(team, "integrator").connect(mesh.one, "caller");
        Semaphore atOnce = new Semaphore(64);
        Map<String, Integer> outcomes = new HashMap<>();
        int count = 6_000;
        for (int i = 0; i < count; i++) {
            assertThat(atOnce.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            var unused = caller.callLater(call(badge.id())).whenComplete((answer, failed) -> {
                synchronized (outcomes) {
                    outcomes.merge(failed == null ? "ok" : String.valueOf(failed.getMessage()), 1, Integer::sum);
                }
                atOnce.release();
            });
        }
        assertThat(atOnce.tryAcquire(64, 30, TimeUnit.SECONDS)).isTrue();
        synchronized (outcomes) {
            assertThat(outcomes).containsExactlyEntriesOf(Map.of("ok", count));
        }
    }

    /** A call carries megabytes along and brings some back, from a client of one node to a client of another. */
    @Test
    void byteStreams_withACallToAnotherNode_crossWholeBothWays() throws Exception {
        byte[] up = bytes(6 << 20);
        byte[] down = bytes(3 << 20);
        Badge badge = mesh.badge(team);
        CompletableFuture<byte[]> taken = new CompletableFuture<>();
        HuddleClient target = client(badge, mesh.two);
        target.serve(DCallRequest.class, call -> {
            ByteInput input = target.receiveBytes(call.getStreamId());
            if (call.getType().equals("refuse")) {
                throw new RemoteError("not now", true);
            }
            ByteOutput output = target.openBytes();
            var unusedReading = later(() -> taken.complete(input.readAllBytes()));
            var unusedWriting = later(() -> write(output, down));
            return DCallResponse.newBuilder()
                    .setData(call.getData())
                    .setStreamId(output.id())
                    .build();
        });
        target.connect().get(30, TimeUnit.SECONDS);
        HuddleClient caller = client(mesh.badge(team, "integrator"), mesh.one);
        caller.connect().get(30, TimeUnit.SECONDS);

        ByteOutput there = caller.openBytes();
        UCallResponse answer =
                caller.call(carrying(badge, "take", there), UCallResponse.class).get(30, TimeUnit.SECONDS);
        CompletableFuture<Void> writing = later(() -> write(there, up));
        try (ByteInput back = caller.receiveBytes(answer.getStreamId())) {
            assertThat(back.readAllBytes()).isEqualTo(down);
        }
        writing.get(60, TimeUnit.SECONDS);
        assertThat(taken.get(60, TimeUnit.SECONDS)).isEqualTo(up);

        ByteOutput refused = caller.openBytes();
        assertThatThrownBy(() -> caller.call(carrying(badge, "refuse", refused), UCallResponse.class)
                        .get(30, TimeUnit.SECONDS))
                .hasMessageContaining("client-error");
        Awaiting.asserted(() -> assertThatThrownBy(refused::flush).hasMessage("client-error"));
    }

    /** What may go wrong on a thread of its own. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> later(Work work) {
        return CompletableFuture.runAsync(() -> {
            try {
                work.run();
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        });
    }

    private static void write(ByteOutput output, byte[] bytes) throws IOException {
        output.write(bytes);
        output.close();
    }

    private static byte[] bytes(int count) {
        byte[] all = new byte[count];
        new Random(count).nextBytes(all);
        return all;
    }

    private HuddleClient client(Badge badge, Node node) {
        return mesh.keep(HuddleClient.withKey(
                URI.create("ws://localhost:" + node.port() + "/stream"),
                new ClientKey(badge.id(), badge.secret()),
                ClientOptions.defaults()));
    }

    private static UCallRequest carrying(Badge to, String type, ByteOutput bytes) {
        return call(to.id()).toBuilder().setType(type).setStreamId(bytes.id()).build();
    }

    /** A ghost that was removed stayed listed on the other nodes until somebody read it there. */
    @Test
    void removal_ofAGhostOfAnotherNode_isSeenAtOnceEverywhere() {
        String room = mesh.room(team, 20, 60);
        Guest ghost = mesh.guest(team, room, "ghost", mesh.two);
        Guest stays = mesh.guest(team, room, "stays", mesh.three);

        mesh.operator(mesh.one)
                .post(
                        "/admin/sessions/" + ghost.session() + "/remove",
                        Api.json()
                                .add("generation", ghost.member().generation())
                                .build())
                .assertStatus(204);

        for (Node node : mesh.nodes()) {
            assertThat(mesh.integrator(team, node)
                            .roster(room)
                            .json()
                            .getJsonArray("entries")
                            .getValuesAs(JsonObject.class))
                    .extracting(entry -> entry.getString("session"))
                    .containsExactly(stays.session());
            ghost.member().on(node).renew().assertProblem(410, "session-ended");
        }
        assertThat(ghost.stream().awaitClose().code()).isEqualTo(4004);
    }

    /** A listing asked every owner, and failed when one was slow. */
    @Test
    void list_whileAnOwnerIsFrozen_isCompleteAndAtOnce() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Badge badge = mesh.badge(team);
            ids.add(badge.id());
            badge.connect(mesh.node(i), "here");
        }
        mesh.pause(mesh.three);
        long start = System.nanoTime();
        Map<String, String> listed =
                MeshCluster.listed(mesh.integrator(team, mesh.one).within(Duration.ofSeconds(2)), "");
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        mesh.resume(mesh.three);

        assertThat(listed).containsOnlyKeys(ids);
        assertThat(took).isLessThan(Duration.ofSeconds(2));
    }

    private static UCallRequest call(String client) {
        return UCallRequest.newBuilder()
                .setToClient(client)
                .setType("where")
                .setData("1")
                .setTimeoutMs(10_000)
                .build();
    }
}
