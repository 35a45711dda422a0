package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.Tokens;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.UCallRequest;
import io.huddle.wire.UCallResponse;
import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.UEchoBytesResponse;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** The client against a packaged node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class HuddleClientIT {
    private static final String TEAM = "team-java-client";

    private final List<HuddleClient> clients = new CopyOnWriteArrayList<>();
    /** Of the test that runs: what clients of an earlier one still tell goes into that one's list. */
    private List<Disconnected> losses = new CopyOnWriteArrayList<>();

    private Node node = start();

    private static Node start() {
        Path folder = Path.of(System.getProperty("huddle.nodes", "target/nodes"), "java-client", "data");
        return Node.start(
                "java-client",
                Store.h2(folder).env(),
                Tokens.env(),
                Map.of("HUDDLE_KEYS_SECRET", "a-secret-of-the-tests-0123456789abcdef"));
    }

    @BeforeAll
    void ready() {
        node = node.awaitReady();
    }

    @AfterEach
    void endClients() {
        clients.forEach(HuddleClient::close);
        clients.clear();
        losses = new CopyOnWriteArrayList<>();
    }

    @AfterAll
    void endNode() {
        node.close();
    }

    @Test
    void connect_byKey_echoes() {
        HuddleClient client = connected(key("integrator"));
        assertThat(echo(client, "grüß Gott")).isEqualTo("grüß Gott");
        assertThat(echo(client, "x".repeat(3 << 20))).hasSize(3 << 20);
    }

    @Test
    void connect_byKeyWithMetadataOfEveryKind_isAuthentic() {
        ClientOptions options = options()
                .metadata("10", "ten")
                .metadata("2", "two")
                .metadata("site", "Bad Ems & \"co\" \\ 50 %")
                .metadata("emoji", "😀\u2028");
        assertThat(echo(connected(client(node.port(), key("integrator"), options)), "hello"))
                .isEqualTo("hello");
    }

    @Test
    void connect_byTicket_renewsItsLease() {
        Member member = join("ann");
        HuddleClient client = ending(HuddleClient.withTickets(member::rejoin, options()));
        get(client.connect());
        URenewResponse renewed = get(client.call(
                URenewRequest.newBuilder()
                        .setSession(member.session)
                        .setGeneration(member.generation)
                        .setCounter(1)
                        .build(),
                URenewResponse.class));
        assertThat(renewed.getState()).isEqualTo("present");
    }

    @Test
    void connect_wrongSecretOrClock_isRefusedAsAuthentication() {
        ClientKey right = key("integrator");
        HuddleClient wrong = client(node.port(), new ClientKey(right.id(), "not-the-secret"), options());
        assertThat(failure(wrong.connect()).reason()).isEqualTo(Reason.AUTHENTICATION);
        HuddleClient unknown = client(node.port(), new ClientKey("c-nobody", right.secret()), options());
        assertThat(failure(unknown.connect()).code()).isEqualTo(403);

        HuddleClient late = client(node.port(), right, options());
        late.setClockOffset(Duration.ofMinutes(-5));
        assertThat(failure(late.connect()).reason()).isEqualTo(Reason.AUTHENTICATION);
        late.setClockOffset(Duration.ofSeconds(5));
        get(late.connect());
    }

    @Test
    void connect_againstALiveOwner_conflictsAndLeavesTheOwnerAlone() {
        ClientKey key = key("integrator");
        HuddleClient owner = connected(key);
        HuddleClient other = client(node.port(), key, options());
        assertThat(failure(other.connect()).reason()).isEqualTo(Reason.CONFLICT);
        assertThat(echo(owner, "still here")).isEqualTo("still here");
        assertThat(losses).isEmpty();
    }

    @Test
    void connect_superseding_endsTheOwnerWhichStaysOff() {
        ClientKey key = key("integrator");
        HuddleClient owner = connected(key);
        HuddleClient other = client(node.port(), key, ClientOptions.defaults().supersede(true));
        get(other.connect());
        Awaiting.until("the owner to be told", () -> !losses.isEmpty());
        assertThat(losses.get(0).cause().reason()).isEqualTo(Reason.SUPERSEDED);
        assertThat(losses.get(0).reconnectIn()).isEmpty();
        assertThat(owner.isConnected()).isFalse();
        assertThat(echo(other, "mine now")).isEqualTo("mine now");
    }

    @Test
    void connection_cutOnTheWay_comesBackAndCallsUnderWayAreIndeterminate() {
        try (TcpProxy proxy = TcpProxy.to(node.port())) {
            HuddleClient client = client(proxy.port(), key("integrator"), options());
            get(client.connect());
            assertThat(echo(client, "before")).isEqualTo("before");
            proxy.stall();
            CompletableFuture<UEchoResponse> lost = client.call(request("lost"), UEchoResponse.class);
            Awaiting.holds(Duration.ofMillis(300), "unanswered", () -> !lost.isDone());
            proxy.cut();
            assertThat(failure(lost).reason()).isEqualTo(Reason.DELIVERY_INDETERMINATE);
            assertThat(failure(client.call(request("off"), UEchoResponse.class)).reason())
                    .isEqualTo(Reason.NOT_CONNECTED);
            proxy.mend();
            Awaiting.until(Duration.ofSeconds(30), "the client to be back", client::isConnected);
            assertThat(echo(client, "after")).isEqualTo("after");
        }
    }

    @Test
    void connection_whoseEndTheServerHasNotSeen_isSupersededByItsSuccessor() {
        try (TcpProxy first = TcpProxy.to(node.port())) {
            HuddleClient client = client(
                    first.port(),
                    key("integrator"),
                    options()
                            .timing(Timings.life(
                                    Timing.PROTOCOL.ping(),
                                    Timing.PROTOCOL.silence(),
                                    Timing.PROTOCOL.check(),
                                    Duration.ofMillis(500))));
            get(client.connect());
            // Towards the client nothing passes any more, nor the end of the connection towards the server.
            first.stall();
            client.checkConnection();
            Awaiting.until("the client to notice", () -> !losses.isEmpty());
            assertThat(losses.get(0).cause().reason()).isEqualTo(Reason.TIMEOUT);
            first.mend();
            Awaiting.until(Duration.ofSeconds(30), "the client to be back", client::isConnected);
            assertThat(echo(client, "back")).isEqualTo("back");
        }
    }

    @Test
    void call_pastItsDeadline_failsAndTheConnectionStays() {
        try (TcpProxy proxy = TcpProxy.to(node.port())) {
            HuddleClient client = client(proxy.port(), key("integrator"), options());
            get(client.connect());
            proxy.stall(TcpProxy.Direction.TO_CLIENT);
            assertThat(failure(client.call(request("slow"), UEchoResponse.class, Duration.ofMillis(300)))
                            .reason())
                    .isEqualTo(Reason.DEADLINE_EXCEEDED);
            proxy.mend();
            assertThat(echo(client, "again")).isEqualTo("again");
            assertThat(losses).isEmpty();
        }
    }

    @Test
    void call_refused_failsWithTheCodeOfTheContract() {
        Member member = join("bob");
        // So that there is an older generation to name.
        get(member.rejoin());
        HuddleClient client = ending(HuddleClient.withTickets(member::rejoin, options()));
        get(client.connect());
        CompletableFuture<URenewResponse> stale = client.call(
                URenewRequest.newBuilder()
                        .setSession(member.session)
                        .setGeneration(member.generation - 1)
                        .build(),
                URenewResponse.class);
        assertThat(catchThrowable(() -> get(stale)).getCause()).isInstanceOfSatisfying(RemoteError.class, error -> {
            assertThat(error.error()).isEqualTo("stale-generation");
            assertThat(error.isUserError()).isTrue();
        });
    }

    @Test
    void bytes_eightMegabytesThereAndBack_areTheSame() throws IOException {
        HuddleClient client = connected(key("integrator"));
        byte[] bytes = new byte[8 << 20];
        new Random(42).nextBytes(bytes);
        ByteOutput there = client.openBytes();
        UEchoBytesResponse answer = get(client.call(
                UEchoBytesRequest.newBuilder().setStreamId(there.id()).build(), UEchoBytesResponse.class));
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(there, bytes));
        try (ByteInput back = client.receiveBytes(answer.getStreamId())) {
            assertThat(back.readAllBytes()).isEqualTo(bytes);
        }
        get(writing);
        assertThat(echo(client, "still well")).isEqualTo("still well");
    }

    @Test
    void call_ofAnotherClient_isServedAndItsErrorsKeepTheirFlag() {
        ClientKey badge = key("integrator");
        HuddleClient served = client(node.port(), badge, options());
        served.serve(DCallRequest.class, request -> {
            if (request.getType().equals("refuse")) {
                throw new RemoteError("no such badge", true);
            }
            return DCallResponse.newBuilder()
                    .setData("{\"was\":" + request.getData() + "}")
                    .build();
        });
        get(served.connect());
        HuddleClient caller = connected(key("integrator"));
        assertThat(get(caller.call(callOf(badge, "ask"), UCallResponse.class)).getData())
                .isEqualTo("{\"was\":{\"badge\":9007199254740991}}");
        assertThat(catchThrowable(() -> get(caller.call(callOf(badge, "refuse"), UCallResponse.class)))
                        .getCause())
                .isInstanceOfSatisfying(RemoteError.class, error -> {
                    // The text is the other client's and stays between it and the server; the flag is passed on.
                    assertThat(error.error()).isEqualTo("client-error");
                    assertThat(error.isUserError()).isTrue();
                });
    }

    private static UCallRequest callOf(ClientKey client, String type) {
        return UCallRequest.newBuilder()
                .setToClient(client.id())
                .setType(type)
                .setData("{\"badge\":9007199254740991}")
                .build();
    }

    /** A participant, whose tickets come from joining again: each is of the next generation. */
    private static final class Member {
        private final Api api;
        private final String room;
        private volatile String session = "";
        private volatile int generation;

        private Member(Api api, String room) {
            this.api = api;
            this.room = room;
        }

        CompletableFuture<Ticket> rejoin() {
            JsonObject joined = api.join(room).json();
            session = joined.getString("session");
            generation = joined.getInt("generation");
            JsonObject stream = joined.getJsonObject("stream");
            return CompletableFuture.completedFuture(
                    new Ticket(URI.create(stream.getString("url")), stream.getString("ticket")));
        }
    }

    private Member join(String subject) {
        Api api = Api.of(node, Tokens.participant(subject, TEAM));
        String room = api.createRoom(TEAM, "standup-" + unique(), unique())
                .assertStatus(201)
                .json()
                .getString("id");
        return new Member(api, room);
    }

    private ClientKey key(String role) {
        JsonObject issued = Api.of(node, Tokens.operator("on-call"))
                .with("Huddle-Reason", "a test")
                .post(
                        "/admin/clients/keys",
                        Api.json()
                                .add("client", "c-" + unique())
                                .add("roles", Json.createArrayBuilder().add(role))
                                .add("teams", Json.createArrayBuilder().add(TEAM))
                                .build())
                .assertStatus(201)
                .json();
        return new ClientKey(issued.getString("client"), issued.getString("secret"));
    }

    private ClientOptions options() {
        return ClientOptions.defaults().onDisconnected(losses::add);
    }

    private HuddleClient client(int port, ClientKey key, ClientOptions options) {
        return ending(HuddleClient.withKey(URI.create("ws://localhost:" + port + "/stream"), key, options));
    }

    private HuddleClient connected(ClientKey key) {
        return connected(client(node.port(), key, options()));
    }

    private static HuddleClient connected(HuddleClient client) {
        get(client.connect());
        return client;
    }

    private HuddleClient ending(HuddleClient client) {
        clients.add(client);
        return client;
    }

    private static String echo(HuddleClient client, String message) {
        return get(client.call(request(message), UEchoResponse.class)).getMessage();
    }

    private static UEchoRequest request(String message) {
        return UEchoRequest.newBuilder().setMessage(message).build();
    }

    private static void write(ByteOutput output, byte[] bytes) {
        try (output) {
            output.write(bytes);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static HuddleFailure failure(CompletableFuture<?> future) {
        Throwable failed = catchThrowable(() -> get(future));
        assertThat(failed).hasCauseInstanceOf(HuddleFailure.class);
        return failed.getCause() instanceof HuddleFailure failure ? failure : new HuddleFailure(Reason.REFUSED);
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static String unique() {
        return UUID.randomUUID().toString().substring(0, 13);
    }
}
