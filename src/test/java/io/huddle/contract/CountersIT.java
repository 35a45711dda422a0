package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import org.junit.jupiter.api.Test;

/** Counters order the renewals and suspends of one generation, whatever the network does to them. */
class CountersIT extends Contract {
    @Test
    void delayedRenewal_afterASuspend_doesNotUndoIt() {
        Membership ada = joined("ada");
        ada.renew(1).assertStatus(200);
        ada.suspend(3).assertStatus(200);
        Row before = row(ada.session());
        long seq = seq(ada.room());

        Answer late = ada.renew(2).assertStatus(200);

        assertThat(late.json().getString("state")).isEqualTo("suspended");
        assertThat(row(ada.session())).isEqualTo(before);
        assertThat(events(ada.room(), seq)).isEmpty();
    }

    @Test
    void delayedSuspend_afterARenewal_doesNotUndoIt() {
        Membership ada = joined("ada");
        ada.renew(8).assertStatus(200);
        Row before = row(ada.session());

        Answer late = ada.suspend(7).assertStatus(200);

        assertThat(late.json().getString("state")).isEqualTo("present");
        assertThat(row(ada.session())).isEqualTo(before);
    }

    @Test
    void delayedRenewal_whilePresent_lengthensNothing() {
        Membership ada = joined("ada");
        ada.renew(5).assertStatus(200);
        Row before = row(ada.session());

        ada.renew(4).assertStatus(200);

        assertThat(row(ada.session())).isEqualTo(before);
    }

    @Test
    void delayedRenewal_whileSuspect_recoversNothingAndIsNoReconnect() {
        Membership ada = joined("ada");
        ada.renew(5).assertStatus(200);
        ada.media("failed").assertStatus(204);
        Row before = row(ada.session());
        double reconnects = Metrics.of(site).value("huddle_reconnect_seconds_count");

        ada.renew(4).assertStatus(200);

        assertThat(row(ada.session())).isEqualTo(before);
        assertThat(Metrics.of(site).value("huddle_reconnect_seconds_count")).isEqualTo(reconnects);
        ada.renew(6).assertStatus(200);
        assertThat(Metrics.of(site).value("huddle_reconnect_seconds_count")).isEqualTo(reconnects + 1);
    }

    @Test
    void sameCounter_again_isARetryAndCounts() {
        Membership ada = joined("ada");
        ada.suspend(2).assertStatus(200);

        assertThat(ada.renew(2).assertStatus(200).json().getString("state")).isEqualTo("present");
        assertThat(row(ada.session()).counter()).isEqualTo(2);
    }

    @Test
    void renewalWithoutCounter_afterOnesWithIt_countsAndKeepsTheHighest() {
        Membership ada = joined("ada");
        ada.suspend(4_294_967_295L).assertStatus(200);

        assertThat(ada.renew().assertStatus(200).json().getString("state")).isEqualTo("present");
        assertThat(row(ada.session()).counter()).isEqualTo(4_294_967_295L);
    }

    @Test
    void nextGeneration_startsToCountAfresh() {
        Membership first = joined("ada");
        first.renew(100).assertStatus(200);

        Membership second = first.again();
        second.suspend(0).assertStatus(200);

        assertThat(row(second.session()).state()).isEqualTo("suspended");
        assertThat(row(second.session()).counter()).isZero();
    }
}
