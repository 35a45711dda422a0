package io.huddle.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.admin.RoomViews.Observed;
import io.huddle.admin.Sightings.Sighting;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An alert said that somebody is heard without a lease, and nothing said who. */
class SightingsTest {
    private static final Instant NOW = Instant.parse("2026-11-30T08:03:06Z");
    private static final Instant RUNNING = NOW.plusSeconds(9);

    private final Map<String, Sighting> seen = new LinkedHashMap<>();

    @Test
    void participants_whoHaveNoLease_areTheFlowingAndThenTheSilent_theLatestFirst() {
        see("of-a-member", "flowing", 1, false, RUNNING);
        see("silent", "silent", 1, true, NOW.minusSeconds(60));
        see("stranger", "flowing", 5, false, null);
        see("lapsed", "flowing", 2, false, NOW.minusSeconds(4));
        see("gone", "gone", 1, false, null);

        assertThat(new Sightings(seen, NOW).withoutLease())
                .extracting(Observed::participant)
                .containsExactly("lapsed", "stranger", "silent");
    }

    /** The participant was a member when it was seen. */
    @Test
    void sighting_fromBeforeTheEndOfTheLease_isLeftOut() {
        see("left", "flowing", 10, true, NOW.minusSeconds(10));
        see("heard-since", "flowing", 9, true, NOW.minusSeconds(10));

        assertThat(new Sightings(seen, NOW).withoutLease())
                .extracting(Observed::participant)
                .containsExactly("heard-since");
    }

    /** One that is out of date is shown as that, for as long as a source could still tell of it. */
    @Test
    void sighting_pastAllEvidence_isLeftOut() {
        see("a while ago", "flowing", 330, false, null);
        see("long ago", "flowing", 331, false, null);

        assertThat(new Sightings(seen, NOW).withoutLease()).singleElement().satisfies(one -> {
            assertThat(one.participant()).isEqualTo("a while ago");
            assertThat(one.evidence().outOfDate()).isTrue();
        });
    }

    @Test
    void participants_tooManyToRead_areCut() {
        IntStream.range(0, 150).forEach(i -> see("crowd-" + i, "flowing", 1, false, null));
        assertThat(new Sightings(seen, NOW).withoutLease()).hasSize(100);
    }

    @Test
    void member_whomNobodySees_hasNoEvidence() {
        see("ada", "silent", 1, false, RUNNING);
        Sightings sightings = new Sightings(seen, NOW);
        assertThat(sightings.of("ada")).extracting(Evidence::says).isEqualTo("silent");
        assertThat(sightings.of("bob")).isNull();
    }

    private void see(String participant, String media, int secondsAgo, boolean isAbsent, @Nullable Instant leaseUntil) {
        Evidence evidence = Evidence.of("sfu-1", media, NOW.minusSeconds(secondsAgo), NOW, Duration.ofSeconds(30));
        String session = leaseUntil == null ? null : "s-of-" + participant;
        seen.put(participant, new Sighting(evidence, session, isAbsent, leaseUntil));
    }
}
