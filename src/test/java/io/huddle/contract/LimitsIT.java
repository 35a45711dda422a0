package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How often a caller may ask. */
class LimitsIT extends Contract {
    @Test
    void subject_askingTooOften_isRefusedAloneAndForAMomentOnly() {
        Api hasty = participant("hasty-" + unique());
        Api calm = participant("calm-" + unique());

        List<Answer> refused = floodUntilRefused(() -> hasty.later("GET", "/rooms/r-nope", null), 6_000);

        Answer answer = refused.get(0).assertProblem(429, "too-many-requests");
        assertThat(answer.header("Retry-After")).contains("1");
        calm.room("r-nope").assertProblem(404, "room-not-found");
        Awaiting.until("served again", () -> hasty.room("r-nope").status() == 404);
    }

    @Test
    void burst_ofThreeHundred_isServed() {
        Api brisk = participant("brisk-" + unique());
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            calls.add(brisk.later("GET", "/rooms/r-nope", null));
        }
        assertThat(calls).allSatisfy(call -> assertThat(call.join().status()).isEqualTo(404));
    }

    @Test
    void renewals_haveALimitOfTheirOwnForEachSession() {
        Membership ada = joined("ada");
        Membership other = joined("ada");
        String path = "/rooms/" + ada.room() + "/sessions/" + ada.session() + "/lease";
        Row before = row(ada.session());

        List<Answer> refused = floodUntilRefused(
                () -> ada.api()
                        .later("PUT", path, Api.json().add("generation", 1).build()),
                400);

        Answer answer = refused.get(0).assertProblem(429, "too-many-requests");
        assertThat(answer.header("Retry-After")).contains("1");
        other.renew().assertStatus(200);
        ada.api().room(ada.room()).assertStatus(200);
        Awaiting.until("renewed again", () -> ada.renew().status() == 200);
        assertThat(row(ada.session()).generation()).isEqualTo(before.generation());
    }

    /** Renewals are not counted as requests, so guessing at other people's sessions through them was free. */
    @Test
    void renewals_ofSessionsThatAreNotOnesOwn_areRefusedLikeRequests() {
        Membership ada = joined("ada");
        Api stranger = participant("stranger-" + unique());
        String path = "/rooms/" + ada.room() + "/sessions/" + ada.session() + "/lease";

        List<Answer> refused = floodUntilRefused(
                () -> stranger.later(
                        "PUT", path, Api.json().add("generation", 1).build()),
                6_000);

        refused.get(0).assertProblem(429, "too-many-requests");
        ada.renew().assertStatus(200);
    }

    private interface Call {
        CompletableFuture<Answer> send();
    }

    /** Sends in handfuls until one is refused, and answers the refusals of that handful. */
    private static List<Answer> floodUntilRefused(Call call, int most) {
        for (int sent = 0; sent < most; sent += 50) {
            List<CompletableFuture<Answer>> handful = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                handful.add(call.send());
            }
            List<Answer> refused = handful.stream()
                    .map(CompletableFuture::join)
                    .filter(answer -> answer.status() == 429)
                    .toList();
            if (!refused.isEmpty()) {
                return refused;
            }
        }
        throw new AssertionError("none of " + most + " requests was refused");
    }
}
