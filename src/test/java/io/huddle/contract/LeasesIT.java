package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Awaiting;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leases over time, seen by moving the clock that judges them. */
class LeasesIT extends Contract {
    private static final Duration ALMOST = Duration.ofSeconds(LEASE - 5);

    @Test
    void lease_thatRunsOut_isOneExpiryAtItsEnd() {
        Membership ada = joined("ada");
        Instant end = row(ada.session()).leaseUntil();

        let(ALMOST);
        assertThat(roster(ada.room())).containsExactly("ada:suspect");
        let(Duration.ofSeconds(6));

        Row row = awaitState(ada.session(), "absent");
        assertThat(row.ending()).isEqualTo("expired");
        assertThat(row.leaseUntil()).isEqualTo(end);
        assertThat(roster(ada.room())).isEmpty();
        let(Duration.ofSeconds(60));
        assertThat(eventTypes(ada.room(), 2)).containsExactly("participant.suspected", "participant.expired");
    }

    @Test
    void expiry_afterALeaseRanOut_isToldWithinTheConvergenceInterval() {
        String room = openRoom(integrator());
        List<Duration> lags = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Membership one = Membership.of(integrator(), integrator().joinAs(room, "p" + i));
            change("UPDATE room_session SET lease_until = proven_at + INTERVAL '1' SECOND WHERE id = ?", one.session());
            Instant end = row(one.session()).leaseUntil();
            awaitState(one.session(), "absent");
            JsonObject expired = events(room, seq(room) - 1).get(0);
            assertThat(expired.getString("type")).isEqualTo("participant.expired");
            lags.add(Duration.between(end, Instant.parse(expired.getString("at"))));
        }
        Collections.sort(lags);
        assertThat(lags.get(2)).as("the median of %s", lags).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void renewalQueuedOverTheEnd_resurrectsNobody() {
        // Case 12: a client was frozen past its expiry; the renewal it had queued resurrected the member for 50 hours.
        Membership ada = joined("ada");
        let(ALMOST);
        site.withoutSweep(() -> {
            site.clock().advance(Duration.ofSeconds(6));
            assertThat(roster(ada.room())).as("before any sweep").isEmpty();
            ada.renew().assertProblem(410, "lease-expired");
        });
        let(Duration.ofSeconds(10));

        ada.renew().assertProblem(410, "lease-expired");
        ada.suspend().assertProblem(410, "lease-expired");

        assertThat(row(ada.session()).state()).isEqualTo("absent");
        assertThat(roster(ada.room())).isEmpty();
        assertThat(eventTypes(ada.room(), 2)).containsExactly("participant.suspected", "participant.expired");
        assertThat(ada.api().join(ada.room()).assertStatus(200).json().getInt("generation"))
                .isEqualTo(2);
    }

    @Test
    void renewals_overFiveHours_keepAMember() {
        // Case 6: members vanished exactly four hours after joining, because a store entry had an absolute end.
        Membership ada = joined("ada");
        String room = ada.room();
        Instant joinedAt = row(ada.session()).provenAt();
        for (int step = 0; step < 20; step++) {
            // A jump, since five hours of heartbeats would take minutes: the sweep forgives it as an outage.
            site.clock().advance(Duration.ofMinutes(15));
            Awaiting.until("a renewal after a jump", () -> ada.renew().status() == 200);
        }
        let(Duration.ofSeconds(25));
        Answer renewed = ada.renew().assertStatus(200);

        assertThat(Duration.between(joinedAt, time(renewed, "serverTime"))).isGreaterThan(Duration.ofHours(5));
        assertThat(roster(room)).containsExactly("ada:present");
        assertThat(eventTypes(room, 2)).doesNotContain("participant.expired", "participant.left");
        assertThat(row(ada.session()).generation()).isOne();
    }

    @Test
    void silence_endedByARenewal_isSuspicionAndRecovery() {
        Membership ada = joined("ada");
        let(Duration.ofSeconds(2 * HEARTBEAT + 1));
        Row suspect = awaitState(ada.session(), "suspect");
        assertThat(suspect.suspectAt()).isNotNull();

        ada.renew().assertStatus(200);

        assertThat(row(ada.session()).suspectAt()).isNull();
        assertThat(eventTypes(ada.room(), 2)).containsExactly("participant.suspected", "participant.recovered");
    }

    @Test
    void silenceOfJustUnderTwoHeartbeats_isNoSuspicion() {
        Membership ada = joined("ada");
        let(Duration.ofSeconds(2 * HEARTBEAT - 10));

        assertThat(row(ada.session()).state()).isEqualTo("present");
    }

    @Test
    void suspended_isSilentForLong_andExpiresAtItsOwnEnd() {
        Membership ada = joined("ada");
        ada.suspend().assertStatus(200);

        let(Duration.ofSeconds(SUSPENDED_LEASE - 10));
        assertThat(roster(ada.room())).containsExactly("ada:suspended");
        let(Duration.ofSeconds(11));

        awaitState(ada.session(), "absent");
        assertThat(eventTypes(ada.room(), 2)).containsExactly("participant.suspended", "participant.expired");
    }

    @Test
    void outage_longerThanEveryLease_emptiesNoRoster() {
        Membership present = joined("ada");
        Membership suspended = join(participant("bob"), present.room());
        suspended.suspend().assertStatus(200);
        Membership gone = join(participant("cyd"), present.room());
        lapse(gone.session());
        awaitState(gone.session(), "absent");
        long seq = seq(present.room());
        double graced = Metrics.of(site).value("huddle_outage_grace_total");

        site.clock().advance(Duration.ofHours(1));
        Awaiting.until(
                "the roster after the outage",
                () -> operator().roster(present.room()).status() == 200);

        assertThat(roster(present.room())).containsExactly("ada:present", "bob:suspended");
        assertThat(remaining(present)).isBetween(Duration.ofSeconds(LEASE - 10), Duration.ofSeconds(LEASE));
        assertThat(remaining(suspended))
                .isBetween(Duration.ofSeconds(SUSPENDED_LEASE - 10), Duration.ofSeconds(SUSPENDED_LEASE));
        assertThat(events(present.room(), seq)).isEmpty();
        assertThat(Metrics.of(site).value("huddle_outage_grace_total")).isEqualTo(graced + 1);
        let(Duration.ofSeconds(LEASE + 1));
        awaitState(present.session(), "absent");
        assertThat(roster(present.room())).containsExactly("bob:suspended");
    }

    @Test
    void whileNobodyHasSweptForTooLong_noLeaseIsJudged() {
        Membership ada = joined("ada");
        site.withoutSweep(() -> {
            site.clock().advance(Duration.ofMinutes(10));
            ada.renew().assertProblem(503, "unavailable");
            ada.api().join(ada.room()).assertProblem(503, "unavailable");
            Answer roster = ada.api().roster(ada.room()).assertProblem(503, "unavailable");
            assertThat(roster.header("Retry-After")).contains("1");
        });
        Awaiting.until("renewed", () -> ada.renew().status() == 200);
        assertThat(eventTypes(ada.room(), 2)).isEmpty();
    }

    @Test
    void clockThatStepsBack_cutsLeasesToTheirLength() {
        Membership ada = joined("ada");
        site.clock().advance(Duration.ofMinutes(-5));
        Awaiting.until("the beat is back", () -> ada.renew().status() == 200);

        assertThat(remaining(ada)).isBetween(Duration.ofSeconds(LEASE - 10), Duration.ofSeconds(LEASE));
        site.clock().advance(Duration.ofMinutes(5));
        Awaiting.until("the beat follows", () -> ada.renew().status() == 200);
    }

    private Duration remaining(Membership membership) {
        Answer roster = operator().roster(membership.room()).assertStatus(200);
        return Duration.between(time(roster, "asOf"), row(membership.session()).leaseUntil());
    }

    /** Lets time pass in steps that no sweep takes for an outage. */
    private void let(Duration time) {
        Duration left = time;
        while (!left.isZero()) {
            Duration step = left.compareTo(Duration.ofSeconds(25)) > 0 ? Duration.ofSeconds(25) : left;
            site.advance(step);
            left = left.minus(step);
        }
    }
}
