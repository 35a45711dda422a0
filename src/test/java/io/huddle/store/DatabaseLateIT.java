package io.huddle.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Node;
import io.huddle.harness.Postgres;
import io.huddle.harness.Store;
import io.huddle.harness.Tokens;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** After a power cut nodes and databases come back in any order; no node may have to be restarted by hand. */
class DatabaseLateIT {
    private static final Duration START = Duration.ofSeconds(90);

    @Test
    void nodeStartedBeforeItsDatabase_answers503_andServesOnceTheDatabaseIsThere() throws Exception {
        try (Postgres postgres = Postgres.create()) {
            Postgres.Database database = postgres.createDatabase();
            postgres.stop();
            try (Node node = Node.start("late", Store.postgres(database).env(), Tokens.env())) {
                Api api = Api.of(node, Tokens.participant("alice", "ward-7"));
                Awaiting.until(START, "the node refuses", () -> isUnavailable(api));
                Answer refused = api.get("/rooms");
                refused.assertProblem(503, "unavailable");
                assertThat(refused.header("Retry-After")).isNotEmpty();
                api.atRoot().get("/health/started").assertStatus(503);
                api.atRoot().get("/health/ready").assertStatus(503);
                api.atRoot().get("/health/live").assertStatus(200);
                postgres.start();
                Awaiting.until(START, "the node serves", () -> api.get("/rooms").status() == 200);
                api.createRoom("ward-7", "standup", "key").assertStatus(201);
                node.awaitReady();
            }
        }
    }

    private static boolean isUnavailable(Api api) {
        try {
            return api.get("/rooms").status() == 503;
        } catch (UncheckedIOException notListening) {
            return false;
        }
    }
}
