package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class SseTest {
    private final HttpServer server;
    private final Api api;

    SseTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
        api = Api.at(URI.create("http://localhost:" + server.getAddress().getPort() + "/api/v1"));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void parser_linesOfTheStandard_becomeEvents() {
        assertThat(parse(": hello", "id: 4", "event:left", "data:  a", "data", "data:b", "", "retry: 5", "data: c", ""))
                .containsExactly(new Sse.Event("4", "left", " a\n\nb"), new Sse.Event("4", "message", "c"));
    }

    @Test
    void parser_eventWithoutDataOrWithoutEnd_isNone() {
        assertThat(parse("event: ghost", "id: 9", "", "data: cut off")).isEmpty();
    }

    @Test
    void subscription_open_collectsWhileTheStreamGoesOn() {
        server.createContext("/api/v1/rooms/r/events", SseTest::streamTwo);
        Sse stream = api.subscribe("r", 7);
        try (stream) {
            assertThat(stream.await(2).get(0).json().getInt("resumed")).isEqualTo(7);
            assertThat(stream.lastId()).isEqualTo("9");
            assertThat(stream.comments()).isEqualTo(1);
            assertThat(stream.isEnded()).isFalse();
        }
        Awaiting.until("end of the stream", stream::isEnded);
        assertThat(stream.events()).hasSize(2);
    }

    @Test
    void subscription_refused_failsWithTheAnswer() {
        assertThatThrownBy(() -> api.subscribe("nowhere"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("404");
    }

    private static void streamTwo(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", Sse.TYPE);
        exchange.sendResponseHeaders(200, 0);
        String resumed = exchange.getRequestHeaders().getFirst("Last-Event-ID");
        String stream = "id: 8\ndata: {\"resumed\":" + resumed + "}\n\n:\n\nid: 9\ndata: {}\n\n";
        exchange.getResponseBody().write(stream.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
    }

    private static List<Sse.Event> parse(String... lines) {
        SseParser parser = new SseParser();
        List<Sse.Event> events = new ArrayList<>();
        for (String line : lines) {
            parser.line(line).ifPresent(events::add);
        }
        return events;
    }
}
