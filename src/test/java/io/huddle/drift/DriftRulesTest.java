package io.huddle.drift;

import static io.huddle.drift.DriftKind.LEASES_WITHOUT_MEDIA;
import static io.huddle.drift.DriftKind.MEDIA_WITHOUT_LEASE;
import static io.huddle.drift.DriftKind.REJECTIONS;
import static io.huddle.drift.DriftKind.SUSPECT_PILE_UP;
import static io.huddle.drift.Scenes.DEFAULTS;
import static io.huddle.drift.Scenes.NOW;
import static io.huddle.drift.Scenes.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.drift.RoomPicture.Sighting;
import io.huddle.drift.RoomPicture.Standing;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriftRulesTest {
    private static Set<DriftKind> judge(Scenes scene) {
        return DriftRules.judge(scene.room(), START, NOW, DEFAULTS);
    }

    @Test
    void room_whoseAudioFlows_agrees() {
        assertThat(judge(new Scenes().member("ada", true).member("bob", true))).isEmpty();
    }

    /** A clinician was alone in the huddle while three colleagues were listed whose audio had stopped. */
    @Test
    void room_withOneSilentLease_drifts() {
        Scenes lonely = new Scenes()
                .member("ada", true)
                .member("bob", false)
                .member("cyd", false)
                .member("dan", false);
        assertThat(judge(lonely)).containsExactly(LEASES_WITHOUT_MEDIA);
    }

    @Test
    void room_ofOne_hasNobodyToHear() {
        assertThat(judge(new Scenes().member("ada", false))).isEmpty();
    }

    @Test
    void room_whoseSecondLeaseHasLapsed_isARoomOfOne() {
        assertThat(judge(new Scenes().member("ada", false).lapsed("bob", NOW))).isEmpty();
    }

    @Test
    void member_thatJoinedWithinTheWindow_isNotJudged() {
        Sighting silent = new Sighting(false, NOW.minusSeconds(1));
        Scenes fresh = new Scenes().member("ada", true).seat("bob", Standing.PRESENT, START.plusMillis(1), silent);
        assertThat(judge(fresh)).isEmpty();
        Scenes whole = new Scenes().member("ada", true).seat("bob", Standing.PRESENT, START, silent);
        assertThat(judge(whole)).containsExactly(LEASES_WITHOUT_MEDIA);
    }

    @ParameterizedTest
    @CsvSource({"30, true", "31, false"})
    void evidence_olderThanItsAge_saysNothing(int seconds, boolean drifts) {
        Scenes scene = new Scenes()
                .member("ada", true)
                .seat("bob", Standing.PRESENT, START.minusSeconds(60), new Sighting(false, NOW.minusSeconds(seconds)));
        assertThat(judge(scene).contains(LEASES_WITHOUT_MEDIA)).isEqualTo(drifts);
    }

    @Test
    void evidence_ofTwoSources_theLatestCounts() {
        Scenes server = new Scenes().member("ada", true).member("bob", true).seen("bob", false, NOW);
        assertThat(judge(server)).containsExactly(LEASES_WITHOUT_MEDIA);
        Scenes own = new Scenes().member("ada", true).member("bob", true).seen("bob", false, NOW.minusSeconds(5));
        assertThat(judge(own)).isEmpty();
    }

    @Test
    void member_withoutEvidence_isTakenForFine() {
        Scenes scene = new Scenes().quiet("ada", Standing.PRESENT).quiet("bob", Standing.PRESENT);
        assertThat(judge(scene)).isEmpty();
    }

    /** A phone in the background has said that its audio stops; and who is left alone with it hears nobody, rightly. */
    @Test
    void suspendedMember_isExpectedToBeSilent() {
        Sighting silent = new Sighting(false, NOW.minusSeconds(1));
        Scenes three = new Scenes()
                .member("ada", true)
                .member("bob", true)
                .seat("cyd", Standing.SUSPENDED, START.minusSeconds(60), silent);
        assertThat(judge(three)).isEmpty();
        Scenes two = new Scenes().member("ada", false).seat("bob", Standing.SUSPENDED, START.minusSeconds(60), silent);
        assertThat(judge(two)).isEmpty();
    }

    @Test
    void media_ofSomebodyWhoNeverJoined_drifts() {
        Scenes scene = new Scenes().member("ada", true).seen("eve", true, NOW.minusSeconds(3));
        assertThat(judge(scene)).containsExactly(MEDIA_WITHOUT_LEASE);
        assertThat(judge(new Scenes().member("ada", true).seen("eve", false, NOW)))
                .isEmpty();
        assertThat(judge(new Scenes().member("ada", true).seen("eve", true, NOW.minusSeconds(31))))
                .isEmpty();
    }

    @Test
    void media_seenAfterTheLeaseEnded_drifts_seenBefore_not() {
        Scenes after = new Scenes().seen("bob", true, NOW.minusSeconds(3)).ended("bob", NOW.minusSeconds(4));
        assertThat(judge(after)).containsExactly(MEDIA_WITHOUT_LEASE);
        Scenes before = new Scenes().seen("bob", true, NOW.minusSeconds(3)).ended("bob", NOW.minusSeconds(2));
        assertThat(judge(before)).isEmpty();
        Scenes unswept = new Scenes().seen("bob", true, NOW.minusSeconds(3)).lapsed("bob", NOW.minusSeconds(4));
        assertThat(judge(unswept)).containsExactly(MEDIA_WITHOUT_LEASE);
    }

    @ParameterizedTest
    @CsvSource({"2, 0, false", "1, 1, false", "0, 2, false", "2, 1, false", "1, 2, true", "2, 2, true", "3, 2, false"})
    void suspects_pileUp_fromHalfOfThreeOn(int present, int suspect, boolean drifts) {
        Scenes scene = new Scenes();
        for (int i = 0; i < present; i++) {
            scene.quiet("p" + i, Standing.PRESENT);
        }
        for (int i = 0; i < suspect; i++) {
            scene.quiet("s" + i, Standing.SUSPECT);
        }
        assertThat(judge(scene).contains(SUSPECT_PILE_UP)).isEqualTo(drifts);
    }

    @ParameterizedTest
    @CsvSource({"4, false", "5, true", "6, true"})
    void rejections_cluster_fromFiveOn(int times, boolean drifts) {
        Scenes scene = new Scenes().member("ada", true).rejected(times);
        assertThat(judge(scene).contains(REJECTIONS)).isEqualTo(drifts);
    }
}
