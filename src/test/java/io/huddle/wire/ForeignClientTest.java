package io.huddle.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.JavaScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The parts of the client that was written from the protocol's page alone: they work, and the page's examples are true. */
class ForeignClientTest {
    @Test
    void partsOfTheClient_withoutAServer_passTheirTests() {
        String printed = JavaScript.test(
                Duration.ofSeconds(60),
                Map.of(),
                List.of(
                        "foreign/docs.test.mjs",
                        "foreign/wire.test.mjs",
                        "foreign/websocket.test.mjs",
                        "foreign/client.test.mjs"));
        assertThat(printed).contains("# fail 0").containsPattern("# pass [2-9][0-9]");
    }

    @Test
    void asyncApi_readByTheSpecificationsParserWhereThereIsOne_hasNoFaults() {
        String printed = JavaScript.test(Duration.ofSeconds(60), Map.of(), List.of("asyncapi.test.mjs"));
        printed.lines().filter(line -> line.contains("# SKIP")).forEach(System.out::println);
        assertThat(printed).contains("# fail 0");
    }
}
