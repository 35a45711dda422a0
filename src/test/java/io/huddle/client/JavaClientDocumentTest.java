package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import io.huddle.client.HuddleFailure.Reason;
import io.huddle.harness.Awaiting;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.UEchoBytesResponse;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of the page on the Java client, each of which is run and must stand on the page as it does here. */
class JavaClientDocumentTest extends PeerTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final Consumer<String> log = logged::add;

    @Test
    void examples_onThePage_areThoseThatAreRunHere() throws IOException {
        String here = plain(Files.readString(Path.of("src/test/java/io/huddle/client/JavaClientDocumentTest.java")));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("src/docs/java-client.md")));
        int found = 0;
        while (examples.find()) {
            assertThat(here).contains(plain(examples.group(1)));
            found++;
        }
        assertThat(found).isEqualTo(8);
    }

    @Test
    void example_connectByKey_connects() throws Exception {
        URI url = peer.uri();
        String secret = KEY.secret();
        CompletableFuture<HuddleClient> made = CompletableFuture.supplyAsync(() -> {
            HuddleClient client = HuddleClient.withKey(
                    url,
                    new ClientKey("c-badges", secret),
                    ClientOptions.defaults()
                            .appVersion("badges 1.4")
                            .metadata("site", "north")
                            .onConnected(() -> log.accept("connected"))
                            .onDisconnected(lost ->
                                    log.accept("disconnected: " + lost.cause().reason())));
            client.connect().join();
            return client;
        });
        Peer.Stream stream = peer.activated();
        assertThat(stream.query()).containsEntry("cid", "c-badges").containsEntry("site", "north");
        ending(get(made));
        stream.close(4002, "joined elsewhere");
        Awaiting.asserted(() -> assertThat(logged).containsExactly("connected", "disconnected: SUPERSEDED"));
    }

    @Test
    void example_connectByTicket_failsWithTheJoin() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        peer.refuse(409);
        HttpRequest joinRequest = HttpRequest.newBuilder(
                        URI.create("http" + peer.uri().toString().substring(2)))
                .build();
        Throwable failed = catchThrowable(() -> {
            HuddleClient client = HuddleClient.withTickets(
                    () -> http.sendAsync(joinRequest, BodyHandlers.ofString())
                            .thenApply(answer -> new Ticket(streamUrl(answer.body()), ticket(answer.body()))),
                    ClientOptions.defaults());
            client.connect().join();
        });
        assertThat(failed.getCause())
                .isInstanceOfSatisfying(
                        HuddleFailure.class,
                        failure -> assertThat(failure.reason()).isEqualTo(Reason.NO_TICKET));
    }

    @Test
    void example_call_isAnswered() {
        HuddleClient client = client(options());
        Peer.Stream stream = connect(client);
        var unused = client.call(
                        UEchoRequest.newBuilder().setMessage("hello").build(),
                        UEchoResponse.class,
                        Duration.ofSeconds(5))
                .thenAccept(answer -> log.accept(answer.getMessage()));
        stream.send(
                reply(stream.await("the call", ClientMessage::hasUEchoRequest).getRequestId())
                        .setUEchoResponse(UEchoResponse.newBuilder().setMessage("hello")));
        Awaiting.asserted(() -> assertThat(logged).containsExactly("hello"));
    }

    @Test
    void example_failures_areTold() {
        HuddleClient client = client(options());
        URenewRequest request = URenewRequest.getDefaultInstance();
        Runnable example = () -> {
            try {
                client.call(request, URenewResponse.class).join();
            } catch (CompletionException failed) {
                if (failed.getCause() instanceof RemoteError error && error.isUserError()) {
                    log.accept("refused: " + error.error());
                } else if (failed.getCause() instanceof HuddleFailure failure
                        && failure.reason() == Reason.NOT_CONNECTED) {
                    log.accept("not sent");
                }
            }
        };
        example.run();
        Peer.Stream stream = connect(client);
        CompletableFuture<Void> running = CompletableFuture.runAsync(example);
        stream.send(
                reply(stream.await("the call", ClientMessage::hasURenewRequest).getRequestId())
                        .setError("session-ended")
                        .setUserError(true));
        get(running);
        assertThat(logged).containsExactly("not sent", "refused: session-ended");
    }

    @Test
    void example_serve_answers() {
        HuddleClient client = client(options());
        client.serve(DCallRequest.class, request -> {
            if (!request.getType().equals("badge")) {
                throw new RemoteError("no such type", true);
            }
            return DCallResponse.newBuilder().setData("{\"badge\":7}").build();
        });
        Peer.Stream stream = connect(client);
        stream.send(call("s1", "badge"));
        stream.send(call("s2", "door"));
        assertThat(answer(stream, "s1").getDCallResponse().getData()).isEqualTo("{\"badge\":7}");
        assertThat(answer(stream, "s2").getError()).isEqualTo("no such type");
    }

    @Test
    void example_serveLater_answers() {
        HuddleClient client = client(options());
        client.serveLater(
                DCallRequest.class,
                request -> lookUp(request.getData())
                        .thenApply(
                                data -> DCallResponse.newBuilder().setData(data).build()));
        Peer.Stream stream = connect(client);
        stream.send(call("s1", "badge"));
        assertThat(answer(stream, "s1").getDCallResponse().getData()).isEqualTo("found 7");
    }

    @Test
    void example_bytes_goThereAndBack() throws Exception {
        HuddleClient client = client(options());
        Peer.Stream stream = connect(client);
        InputStream file = new ByteArrayInputStream("bytes".getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream sink = new ByteArrayOutputStream();
        CompletableFuture<Void> running = CompletableFuture.runAsync(() -> {
            try {
                ByteOutput there = client.openBytes();
                UEchoBytesResponse answer = client.call(
                                UEchoBytesRequest.newBuilder()
                                        .setStreamId(there.id())
                                        .build(),
                                UEchoBytesResponse.class)
                        .join();
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> copy(file, there));
                try (ByteInput back = client.receiveBytes(answer.getStreamId())) {
                    back.transferTo(sink);
                }
                writing.join();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
        stream.send(reply(stream.await("the call", ClientMessage::hasUEchoBytesRequest)
                        .getRequestId())
                .setUEchoBytesResponse(UEchoBytesResponse.newBuilder().setStreamId(2)));
        ClientMessage written =
                stream.await("bytes", one -> one.getByteStreamOperation().hasWrite());
        stream.send(ByteStreamOperation.newBuilder()
                .setStreamId(2)
                .setWrite(written.getByteStreamOperation().getWrite()));
        stream.send(ByteStreamOperation.newBuilder()
                .setStreamId(2)
                .setFinish(ByteStreamOperation.Finish.getDefaultInstance()));
        get(running);
        assertThat(ByteString.copyFrom(sink.toByteArray()).toStringUtf8()).isEqualTo("bytes");
    }

    @Test
    void example_threads_areEnoughForManyClients() {
        HttpClient http = HttpClient.newHttpClient();
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        try {
            ClientOptions options = ClientOptions.defaults()
                    .httpClient(http)
                    .scheduler(scheduler)
                    .executor(Runnable::run);
            for (int i = 0; i < 20; i++) {
                HuddleClient client = ending(HuddleClient.withKey(peer.uri(), KEY, options));
                connect(client);
            }
        } finally {
            end();
            scheduler.shutdown();
        }
    }

    private static CompletableFuture<String> lookUp(String what) {
        return CompletableFuture.supplyAsync(() -> what.isEmpty() ? "nothing" : "found 7");
    }

    private static void copy(InputStream from, OutputStream to) {
        try (to) {
            from.transferTo(to);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** As an application would read it out of the membership's JSON. */
    private static URI streamUrl(String json) {
        return URI.create(member(json, "url"));
    }

    private static String ticket(String json) {
        return member(json, "ticket");
    }

    private static String member(String json, String name) {
        Matcher member =
                Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        if (!member.find()) {
            throw new IllegalArgumentException("no membership");
        }
        return member.group(1);
    }

    private static ServerMessage.Builder call(String id, String type) {
        return ServerMessage.newBuilder()
                .setRequestId(id)
                .setDCallRequest(DCallRequest.newBuilder().setType(type).setData("7"));
    }

    private static ClientMessage answer(Peer.Stream stream, String id) {
        return stream.await("the answer to " + id, one -> one.getRequestId().equals(id) && one.getReply());
    }

    private static String plain(String code) {
        return code.replaceAll("\\s+", "");
    }
}
