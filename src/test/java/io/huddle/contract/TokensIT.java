package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Credentials that are wrong in one way each open nothing. */
class TokensIT extends Contract {
    @BeforeEach
    void nobodyElse() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
    }

    /** Everything is right in these but one thing. */
    private Map<String, String> forged() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("expired", draft().expired());
        all.put(
                "expired beyond the skew",
                draft().expiresIn(Duration.ofSeconds(-40)).signed());
        all.put("unsigned", draft().unsigned());
        all.put("signed with the public key", draft().signedWithPublicKey());
        all.put("signed by a stranger", draft().signedByStranger());
        all.put("of another issuer", draft().issuer("https://evil.example").signed());
        all.put(
                "of the demo",
                draft().issuer("huddle-demo").audience("huddle-demo").signed());
        all.put("of no issuer", draft().without("iss").signed());
        all.put("for another audience", draft().audience("other").signed());
        all.put("for no audience", draft().without("aud").signed());
        all.put("without an end", draft().without("exp").signed());
        all.put("without a subject", draft().without("sub").signed());
        all.put(
                "not valid yet",
                draft().claim("nbf", Date.from(Instant.now().plus(Duration.ofHours(1))))
                        .signed());
        all.put("with its claims exchanged", exchanged());
        all.put("without its signature", draft().signed().replaceFirst("[^.]*$", ""));
        all.put("garbage", "garbage");
        all.put("three dots", "...");
        all.put("three words", "a.b.c");
        all.put("SQL", "' OR 1=1 --");
        return all;
    }

    static List<String> kinds() {
        return List.copyOf(new TokensIT().forged().keySet());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void token_thatIsWrong_isUnauthenticatedAndLeavesNoTrace(String kind) {
        String room = openRoom(participant("ada"));
        Trace before = Trace.of(site.store());
        Api forger = Api.of(site.node(), String.valueOf(forged().get(kind)));

        for (Answer answer : List.of(
                forger.room(room),
                forger.createRoom(unique(), aRoom()),
                forger.join(room),
                forger.close(room),
                forger.get("/nope"),
                forger.with("Accept", "text/event-stream").get("/rooms/" + room + "/events"))) {
            answer.assertProblem(401, "unauthenticated");
            assertThat(answer.header("WWW-Authenticate").orElse("")).startsWith("Bearer");
        }

        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "", "Bearer", "Bearer ", "Basic YWRhOmFkYQ==", "Negotiate x", "Token TOKEN", "TOKEN"})
    void header_thatIsNoBearerToken_isUnauthenticated(String header) {
        Api caller = Api.anonymous(site.node());
        String value = header.replace("TOKEN", draft().signed());
        Answer answer = (header.equals("-") ? caller : caller.with("Authorization", value)).get("/rooms");

        answer.assertProblem(401, "unauthenticated");
    }

    @Test
    void token_anywhereElseThanInItsHeader_isNotSeen() {
        Api nobody = Api.anonymous(site.node());
        String token = draft().signed();

        nobody.get("/rooms?access_token=" + token).assertProblem(401, "unauthenticated");
        nobody.get("/rooms?token=" + token).assertProblem(401, "unauthenticated");
        nobody.with("Cookie", "Bearer=" + token + "; access_token=" + token + "; JWT=" + token)
                .get("/rooms")
                .assertProblem(401, "unauthenticated");
    }

    @Test
    void identity_isThatOfEachRequestAndNotOfTheConnection() {
        // The same client and connection, one request with a token and the next without.
        participant("ada").get("/rooms").assertStatus(200);
        Answer second = Api.anonymous(site.node()).get("/rooms");

        second.assertProblem(401, "unauthenticated");
        assertThat(participant("ada").get("/rooms").header("Set-Cookie")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada@example.org", "ada lovelace", "ada\tl", " ", "a\u00a0b", "a\u0000b"})
    void subject_thatMayNameAPerson_isRefused(String subject) {
        String room = openRoom(participant("ada"));
        Trace before = Trace.of(site.store());
        Api named = Api.of(site.node(), draft().claim("sub", subject).signed());

        for (Answer answer : List.of(named.room(room), named.join(room), named.createRoom(unique(), aRoom()))) {
            assertThat(answer.status()).as("%s", answer).isIn(401, 403);
            answer.assertProblem(answer.status(), answer.status() == 401 ? "unauthenticated" : "forbidden");
            assertThat(answer.text()).doesNotContain("example.org").doesNotContain("lovelace");
        }
        before.assertUnchanged();
    }

    @Test
    void subject_ofMoreThanAHundredCharacters_isRefused() {
        Api.of(site.node(), draft().claim("sub", "x".repeat(101)).signed())
                .get("/rooms")
                .assertProblem(403, "forbidden");
        Api.of(site.node(), draft().claim("sub", "x".repeat(100)).signed())
                .get("/rooms")
                .assertStatus(200);
    }

    @Test
    void claims_ofTheWrongType_giveNothing() {
        String room = openRoom(participant("ada"));
        Api.of(
                        site.node(),
                        Tokens.of("ada")
                                .groups("participant")
                                .claim("teams", team)
                                .signed())
                .room(room)
                .assertProblem(404, "room-not-found");
        Api.of(
                        site.node(),
                        Tokens.of("ada")
                                .groups("participant")
                                .claim("teams", Map.of("a", team))
                                .signed())
                .room(room)
                .assertProblem(404, "room-not-found");
        Api.of(
                        site.node(),
                        Tokens.of("ada")
                                .groups("participant")
                                .claim("teams", List.of(7, List.of(team)))
                                .signed())
                .room(room)
                .assertProblem(404, "room-not-found");
        Api.of(
                        site.node(),
                        Tokens.of("ada")
                                .groups("Participant", "OPERATOR", "admin")
                                .teams(team)
                                .signed())
                .room(room)
                .assertProblem(403, "forbidden");
    }

    @Test
    void token_withinTheSkew_isAccepted() {
        Api.of(site.node(), draft().expiresIn(Duration.ofSeconds(-5)).signed())
                .get("/rooms")
                .assertStatus(200);
    }

    private Tokens.Draft draft() {
        return Tokens.of("ada").groups("participant", "integrator", "operator").teams(team);
    }

    /** The claims of one token under the signature of another. */
    private String exchanged() {
        String mine = Tokens.of("mallory").groups("operator").signed().replaceAll("^[^.]*\\.|\\.[^.]*$", "");
        return draft().signed().replaceFirst("\\.[^.]*\\.", "." + mine + ".");
    }
}
