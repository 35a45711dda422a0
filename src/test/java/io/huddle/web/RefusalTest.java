package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static io.huddle.web.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RefusalTest {
    /** The page on the REST contract: slug and status, without those of calls that do not exist yet. */
    private static final Map<String, Integer> PAGE = Map.ofEntries(
            Map.entry("invalid-request", 400),
            Map.entry("idempotency-key-missing", 400),
            Map.entry("reason-missing", 400),
            Map.entry("unauthenticated", 401),
            Map.entry("forbidden", 403),
            Map.entry("not-found", 404),
            Map.entry("room-not-found", 404),
            Map.entry("session-not-found", 404),
            Map.entry("client-not-found", 404),
            Map.entry("method-not-allowed", 405),
            Map.entry("not-acceptable", 406),
            Map.entry("room-exists", 409),
            Map.entry("room-closing", 409),
            Map.entry("room-closed", 409),
            Map.entry("room-full", 409),
            Map.entry("stale-generation", 409),
            Map.entry("client-exists", 409),
            Map.entry("client-keys-disabled", 409),
            Map.entry("lease-expired", 410),
            Map.entry("session-ended", 410),
            Map.entry("payload-too-large", 413),
            Map.entry("unsupported-media-type", 415),
            Map.entry("idempotency-key-reused", 422),
            Map.entry("too-many-requests", 429),
            Map.entry("internal-error", 500),
            Map.entry("client-disconnected", 409),
            Map.entry("client-error", 502),
            Map.entry("delivery-indeterminate", 502),
            Map.entry("owner-unavailable", 503),
            Map.entry("backpressure", 503),
            Map.entry("deadline-exceeded", 504),
            Map.entry("unavailable", 503));

    @Test
    void refusals_all_areThoseOfThePage() {
        assertThat(Arrays.stream(Refusal.values()).collect(Collectors.toMap(Refusal::slug, Refusal::status)))
                .containsExactlyInAnyOrderEntriesOf(PAGE);
    }

    @Test
    void refusals_titles_areDistinctAndShort() {
        assertThat(Refusal.values()).extracting(Refusal::title).doesNotHaveDuplicates();
        assertThat(Refusal.values())
                .allSatisfy(refusal ->
                        assertThat(refusal.title()).hasSizeBetween(5, 80).doesNotEndWith("."));
    }

    @Test
    void problem_json_hasTheMembersOfRfc9457() {
        JsonObject problem = Json.createReader(new StringReader(
                        Problem.json(Refusal.ROOM_EXISTS, "a \"quoted\" detail", Map.of("room", "r-1"))))
                .readObject();
        assertThat(problem.getString("type")).isEqualTo("urn:huddle:problem:room-exists");
        assertThat(problem.getString("title")).isEqualTo(Refusal.ROOM_EXISTS.title());
        assertThat(problem.getInt("status")).isEqualTo(409);
        assertThat(problem.getString("detail")).isEqualTo("a \"quoted\" detail");
        assertThat(problem.getString("code")).isEqualTo("room-exists");
        assertThat(problem.getString("room")).isEqualTo("r-1");
        assertThat(problem).hasSize(6);
    }

    @Test
    void refused_thrown_hasNoStackTrace() {
        assertThat(Refused.invalid("x").getStackTrace()).isEmpty();
    }

    @Test
    void reason_missingOrBlank_isNone() {
        assertThat(Reason.parse(null)).isNull();
        assertThat(Reason.parse(" ")).isNull();
        assertRefused(Refusal.REASON_MISSING, () -> Reason.need(null), "1 to 200 characters");
        assertRefused(Refusal.REASON_MISSING, () -> Reason.need(""));
    }

    @Test
    void reason_text_isStrippedAndBounded() {
        assertThat(Reason.need("  ghost in the room ")).isEqualTo("ghost in the room");
        assertThat(Reason.need("x".repeat(200))).hasSize(200);
        assertInvalid(() -> Reason.need("x".repeat(201)), "Huddle-Reason");
        assertInvalid(() -> Reason.need("a\u0007b"), "Huddle-Reason");
    }
}
