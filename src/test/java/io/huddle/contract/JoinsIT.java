package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Joining: memberships, taking over, idempotency keys, full rooms. */
class JoinsIT extends Contract {
    @Test
    void membership_ofAFirstJoin_tellsAllThatAClientNeeds() {
        Api ada = participant("ada");
        String room = openRoom(ada);

        Answer joined = ada.join(room).assertStatus(201);

        JsonObject json = joined.json();
        assertThat(json.getString("room")).isEqualTo(room);
        assertThat(json.getString("session")).startsWith("s-");
        assertThat(json.getString("participant")).isEqualTo("ada");
        assertThat(json.getInt("generation")).isOne();
        assertThat(json.getString("state")).isEqualTo("present");
        assertThat(json.getInt("heartbeatSeconds")).isEqualTo(HEARTBEAT);
        assertThat(json.getInt("leaseSeconds")).isEqualTo(LEASE);
        assertThat(json.getInt("seq")).isEqualTo(2);
        assertThat(json.getString("leaseUntil")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(Duration.between(time(joined, "serverTime"), time(joined, "leaseUntil")))
                .hasSeconds(LEASE);
    }

    @Test
    void secondDevice_takesTheSessionOver() {
        Membership phone = joined("ada");
        Answer laptop = phone.api().join(phone.room()).assertStatus(200);

        assertThat(laptop.json().getString("session")).isEqualTo(phone.session());
        assertThat(laptop.json().getInt("generation")).isEqualTo(2);
        phone.renew().assertProblem(409, "stale-generation");
        assertThat(roster(phone.room())).containsExactly("ada:present");
        assertThat(eventTypes(phone.room(), 2)).containsExactly("participant.reconnected");
    }

    @Test
    void roster_keepsWhenSomebodyFirstJoined_overAReconnectButNotOverALeave() {
        Membership ada = joined("ada");
        String joinedAt = entry(ada.room()).getString("joinedAt");
        site.advance(Duration.ofSeconds(2));
        Membership again = ada.again();
        assertThat(entry(ada.room()).getString("joinedAt")).isEqualTo(joinedAt);

        again.leave().assertStatus(204);
        again.again();
        assertThat(entry(ada.room()).getString("joinedAt")).isGreaterThan(joinedAt);
    }

    @Test
    void otherSubject_canNeitherTakeOverNorActById() {
        // Case 7: anybody who knew a session's id could kick its owner. Only the same subject takes a session over.
        Membership ada = joined("ada");
        Api mallory = participant("mallory");
        Row before = row(ada.session());
        Membership stolen = new Membership(mallory, ada.room(), ada.session(), 1);

        mallory.joinAs(ada.room(), "ada").assertProblem(403, "forbidden");
        stolen.renew().assertProblem(404, "session-not-found");
        stolen.suspend().assertProblem(404, "session-not-found");
        stolen.media("failed").assertProblem(404, "session-not-found");
        stolen.leave().assertProblem(404, "session-not-found");

        assertThat(row(ada.session())).isEqualTo(before);
        Membership own = join(mallory, ada.room());
        assertThat(own.session()).isNotEqualTo(ada.session());
        ada.renew().assertStatus(200);
    }

    @Test
    void lateLeaveOfAnOldGeneration_leavesTheRejoinedUserIn() {
        // Case 8: an old socket's close arrived 30 s late and removed the user who had rejoined meanwhile.
        Membership old = joined("ada");
        Membership rejoined = old.again();
        double stale = Metrics.of(site).stale("leave");
        site.advance(Duration.ofSeconds(25));
        rejoined.renew().assertStatus(200);
        site.advance(Duration.ofSeconds(5));

        old.leave().assertProblem(409, "stale-generation");

        assertThat(roster(old.room())).containsExactly("ada:present");
        rejoined.renew().assertStatus(200);
        assertThat(Metrics.of(site).stale("leave")).isEqualTo(stale + 1);
    }

    @Test
    void twoTabs_oneRefreshedTheOtherClosed_theUserIsListedWhileALeaseLives() {
        // Case 9: two tabs of one user; one was refreshed, the other closed, and the user became invisible.
        Membership tabOne = joined("ada");
        Membership tabTwo = tabOne.again();
        Membership refreshed = tabTwo.again();
        assertThat(refreshed.session()).isEqualTo(tabOne.session());

        tabTwo.leave().assertProblem(409, "stale-generation");
        assertThat(roster(tabOne.room())).containsExactly("ada:present");

        refreshed.leave().assertStatus(204);
        assertThat(roster(tabOne.room())).isEmpty();
    }

    @Test
    void retryOfAKey_whileItsGenerationIsCurrent_isTheSameGenerationWithARenewedLease() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Answer first = ada.join(room, "k1").assertStatus(201);
        String session = first.json().getString("session");
        site.advance(Duration.ofSeconds(10));

        Answer retry = ada.join(room, "k1").assertStatus(201);

        assertThat(retry.json().getString("session")).isEqualTo(session);
        assertThat(retry.json().getInt("generation")).isOne();
        assertThat(Duration.between(time(first, "leaseUntil"), time(retry, "leaseUntil")))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(eventTypes(room, 0)).containsExactly("room.opened", "participant.joined");
    }

    @Test
    void retryOfAKey_whileSuspended_bringsBack() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Membership first = Membership.of(ada, ada.join(room, "k1"));
        first.suspend().assertStatus(200);

        assertThat(ada.join(room, "k1").assertStatus(201).json().getString("state"))
                .isEqualTo("present");
        assertThat(eventTypes(room, 2)).containsExactly("participant.suspended", "participant.recovered");
    }

    @Test
    void key_asAQuotedString_isTheSameKey() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        ada.join(room, "k1").assertStatus(201);

        assertThat(ada.join(room, "\"k1\"").json().getInt("generation")).isOne();
        assertThat(ada.join(room, "k2").json().getInt("generation")).isEqualTo(2);
    }

    @Test
    void retryOfAKey_superseded_isStale() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        ada.join(room, "k1").assertStatus(201);
        ada.join(room, "k2").assertStatus(200);
        long seq = seq(room);

        ada.join(room, "k1").assertProblem(409, "stale-generation");

        assertThat(ada.join(room, "k2").assertStatus(200).json().getInt("generation"))
                .isEqualTo(2);
        assertThat(events(room, seq)).isEmpty();
    }

    @Test
    void retryOfAKey_ended_isSessionEndedHoweverItEnded() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Membership left = Membership.of(ada, ada.join(room, "k1"));
        left.leave().assertStatus(204);
        ada.join(room, "k1").assertProblem(410, "session-ended");

        Membership expired = Membership.of(ada, ada.join(room, "k2"));
        site.withoutSweep(() -> {
            lapse(expired.session());
            ada.join(room, "k2").assertProblem(410, "session-ended");
        });
        ada.join(room, "k2").assertProblem(410, "session-ended");
        assertThat(eventTypes(room, 3)).containsExactly("participant.joined", "participant.expired");

        assertThat(ada.join(room, "k3").assertStatus(200).json().getInt("generation"))
                .isEqualTo(3);
    }

    @Test
    void retryOfAKey_inARoomThatIsNotOpen_isRefusedForTheRoom() {
        Api ada = participant("ada");
        String closing = openRoom(ada);
        ada.join(closing, "k1").assertStatus(201);
        stopHalfClosed(closing);
        String closed = openRoom(ada);
        ada.join(closed, "k1").assertStatus(201);
        ada.close(closed).assertStatus(200);

        ada.join(closing, "k1").assertProblem(409, "room-closing");
        ada.join(closed, "k1").assertProblem(409, "room-closed");
    }

    @Test
    void sameKey_ofTwoParticipants_isTwoKeys() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        String hers = ada.join(room, "k1").assertStatus(201).json().getString("session");

        String his =
                participant("bob").join(room, "k1").assertStatus(201).json().getString("session");

        assertThat(his).isNotEqualTo(hers);
    }

    @Test
    void sameKey_inParallel_makesOneGeneration() {
        Api ada = participant("ada").with("Idempotency-Key", "k1");
        String room = openRoom(participant("ada"));

        List<Answer> answers = joinInParallel(ada, room, 8);

        assertThat(answers).allSatisfy(answer -> assertThat(answer.status()).isEqualTo(201));
        assertThat(answers)
                .extracting(answer -> answer.json().getString("session"))
                .containsOnly(answers.get(0).json().getString("session"));
        assertThat(eventTypes(room, 1)).containsExactly("participant.joined");
    }

    @Test
    void joinsWithoutKey_inParallel_makeOneSessionAndAGenerationEach() {
        Api ada = participant("ada");
        String room = openRoom(ada);

        List<Answer> answers = joinInParallel(ada, room, 8);

        assertThat(answers)
                .extracting(answer -> answer.json().getInt("generation"))
                .containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(roster(room)).containsExactly("ada:present");
        assertThat(eventTypes(room, 1)).hasSize(8).startsWith("participant.joined");
    }

    @Test
    void fullRoom_takesNobodyElse_untilAPlaceIsFree() {
        Api ada = participant("ada");
        String room = openRoom(ada, aRoom().add("policy", calm().add("maxParticipants", 2)));
        Membership first = join(ada, room);
        Membership second = join(participant("bob"), room);
        long seq = seq(room);

        participant("cyd").join(room).assertProblem(409, "room-full");
        assertThat(events(room, seq)).isEmpty();
        first.again();
        participant("cyd").join(room).assertProblem(409, "room-full");

        site.withoutSweep(() -> {
            lapse(second.session());
            // The place of a lease that has run out is free, swept or not.
            participant("cyd").join(room).assertStatus(201);
        });
        participant("bob").join(room).assertProblem(409, "room-full");
    }

    private static List<Answer> joinInParallel(Api api, String room, int times) {
        List<CompletableFuture<Answer>> calls = IntStream.range(0, times)
                .mapToObj(i -> api.later("POST", "/rooms/" + room + "/sessions", JsonObject.EMPTY_JSON_OBJECT))
                .toList();
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private JsonObject entry(String room) {
        return operator().roster(room).json().getJsonArray("entries").getJsonObject(0);
    }
}
