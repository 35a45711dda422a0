package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The roster and its validator. */
class RosterIT extends Contract {
    @Test
    void roster_ofARoom_tellsWhoIsInInOrderOfJoining() {
        Membership ada = joined("ada");
        site.advance(Duration.ofSeconds(1));
        Membership bob = join(participant("bob"), ada.room());
        bob.media("failed").assertStatus(204);

        Answer answer = ada.api().roster(ada.room()).assertStatus(200);

        JsonObject roster = answer.json();
        assertThat(roster.getString("room")).isEqualTo(ada.room());
        assertThat(roster.getInt("seq")).isEqualTo(4);
        assertThat(roster.getString("stage")).isNotBlank();
        assertThat(time(answer, "asOf"))
                .isBetween(row(bob.session()).provenAt(), row(bob.session()).leaseUntil());
        JsonObject first = roster.getJsonArray("entries").getJsonObject(0);
        assertThat(first.keySet())
                .containsExactlyInAnyOrder("session", "participant", "generation", "state", "joinedAt", "leaseUntil");
        assertThat(first.getString("session")).isEqualTo(ada.session());
        assertThat(first.getString("participant")).isEqualTo("ada");
        assertThat(first.getInt("generation")).isOne();
        JsonObject second = roster.getJsonArray("entries").getJsonObject(1);
        assertThat(second.getString("state")).isEqualTo("suspect");
        assertThat(second.getString("suspectAt")).isLessThanOrEqualTo(roster.getString("asOf"));
    }

    @Test
    void etag_ofAnUnchangedRoster_saves() {
        Membership ada = joined("ada");
        String tag = tag(ada.api(), ada.room());
        assertThat(tag).startsWith("W/\"").endsWith("\"");

        ada.renew().assertStatus(200);

        assertThat(tag(ada.api(), ada.room())).isEqualTo(tag);
        for (String match : new String[] {tag, "\"other\", " + tag, tag.substring(2), "*"}) {
            Answer unchanged = ada.api().with("If-None-Match", match).roster(ada.room());
            assertThat(unchanged.status()).as(match).isEqualTo(304);
            assertThat(unchanged.header("ETag")).contains(tag);
            assertThat(unchanged.text()).isEmpty();
        }
        ada.api().with("If-None-Match", "W/\"other\"").roster(ada.room()).assertStatus(200);
    }

    @Test
    void etag_changesWithEveryChangeThatARosterShows() {
        Membership ada = joined("ada");
        String joined = tag(ada.api(), ada.room());
        ada.suspend().assertStatus(200);
        String suspended = tag(ada.api(), ada.room());
        Membership again = ada.again();
        String rejoined = tag(ada.api(), ada.room());
        again.leave().assertStatus(204);
        String left = tag(ada.api(), ada.room());
        assertThat(new String[] {joined, suspended, rejoined, left}).doesNotHaveDuplicates();
        ada.api().with("If-None-Match", joined).roster(ada.room()).assertStatus(200);
    }

    @Test
    void etag_changesWhenALeaseRunsOut_beforeTheSweepHasTold() {
        Membership ada = joined("ada");
        String before = tag(ada.api(), ada.room());

        site.withoutSweep(() -> {
            lapse(ada.session());
            Answer now = ada.api().with("If-None-Match", before).roster(ada.room());
            assertThat(now.assertStatus(200).json().getJsonArray("entries")).isEmpty();
            assertThat(now.json().getInt("seq")).isEqualTo(2);
        });
    }

    @Test
    void malformedIfNoneMatch_isNoServerError() {
        Membership ada = joined("ada");
        for (String match : new String[] {"\"", "W/", "W/\"", "nonsense", "\"\\", ",,,"}) {
            Answer answer = ada.api().with("If-None-Match", match).roster(ada.room());
            assertThat(answer.status()).as("%s: %s", match, answer).isIn(200, 400);
            answer.assertNoLeak();
        }
    }

    @Test
    void roster_ofAClosedRoom_isEmpty() {
        Membership ada = joined("ada");
        ada.api().close(ada.room()).assertStatus(200);

        assertThat(roster(ada.room())).isEmpty();
    }

    private static String tag(Api api, String room) {
        return api.roster(room).assertStatus(200).header("ETag").orElseThrow();
    }
}
