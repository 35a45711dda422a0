package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Tokens;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What somebody found who tried to break it, and what it answers since. */
class AttacksIT extends Contract {
    /** HEAD on the live feed kept a place for hours, and some two thousand of them cut everybody else off. */
    @Test
    void liveFeed_askedForItsHead_isOneDocumentAndEnds() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Answer head = ada.with("Accept", "text/event-stream")
                .send("HEAD", "/rooms/" + room + "/events", JsonObject.EMPTY_JSON_OBJECT);
        head.assertStatus(200);
        assertThat(head.header("Content-Type").orElse("")).startsWith("application/json");
    }

    /** A body that says gzip and is none was an internal error, with a stack trace in the log for each. */
    @Test
    void body_thatIsNotWhatItsEncodingSays_isTheCallersMistake() {
        participant("ada")
                .with("Content-Encoding", "gzip")
                .with("Idempotency-Key", "gzip")
                .post(
                        "/rooms",
                        Json.createObjectBuilder()
                                .add("team", team)
                                .add("occurrence", "gzip")
                                .build())
                .assertProblem(400, "invalid-request");
    }

    /** A token may end at a fraction of a second; every call with such a one was an internal error. */
    @Test
    void token_endingAtAFractionOfASecond_isAToken() {
        String token = Tokens.of("ada")
                .groups("participant")
                .teams(team)
                .claim("exp", Instant.now().getEpochSecond() + 600.5)
                .signed();
        Api.of(site.node(), token).get("/rooms").assertStatus(200);
    }

    /** The column counted half as many characters as the check on H2: a team of emoji was an internal error. */
    @Test
    void team_ofAsManyAstralCharactersAsMayBe_hasRooms() {
        String longest = "😀".repeat(100);
        Api ada = Api.of(site.node(), Tokens.participant("ada", longest));
        ada.createRoom(longest, "standup", "astral").assertStatus(201);
        assertThat(ada.get("/rooms").json().getJsonArray("items")).hasSize(1);
    }
}
