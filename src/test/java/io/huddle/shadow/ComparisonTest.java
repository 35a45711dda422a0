package io.huddle.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.presence.MemberView;
import io.huddle.shadow.Comparison.Difference;
import io.huddle.shadow.Comparison.Member;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static final Instant NOW = Instant.parse("2026-11-30T09:00:00Z");

    private static Member member(String who, long secondsLeft, boolean lostStream, @Nullable String observed) {
        return new Member(who, new MemberView("present", NOW.plusSeconds(secondsLeft), lostStream, observed));
    }

    @Test
    void rostersThatAgree_haveNoDifference() {
        List<Member> members = List.of(member("in", 9, false, null), member("out", -1, true, null));
        assertThat(Comparison.of(members, Set.of(), false, NOW)).isEmpty();
        assertThat(Comparison.of(List.of(), Set.of(), false, NOW)).isEmpty();
    }

    @Test
    void socketsAndLeases_differEitherWay() {
        List<Member> members = List.of(member("ghost", -1, false, null), member("dropped", 9, true, null));
        assertThat(Comparison.of(members, Set.of(), false, NOW))
                .containsExactly(
                        new Difference(MismatchKind.SHOWN_WITHOUT_LEASE, "ghost"),
                        new Difference(MismatchKind.LEASED_NOT_SHOWN, "dropped"));
    }

    @Test
    void olderRoster_isComparedInPlaceOfTheSockets() {
        List<Member> members = List.of(
                member("both", 9, true, "silent"),
                member("ghost", -1, true, "flowing"),
                member("missing", 9, false, null),
                member("gone", 9, false, "gone"));
        assertThat(Comparison.of(members, Set.of("both", "ghost", "stranger"), true, NOW))
                .containsExactly(
                        new Difference(MismatchKind.SHOWN_WITHOUT_LEASE, "ghost"),
                        new Difference(MismatchKind.LEASED_NOT_SHOWN, "missing"),
                        new Difference(MismatchKind.LEASED_NOT_SHOWN, "gone"),
                        new Difference(MismatchKind.OBSERVED_WITHOUT_SESSION, "stranger"));
    }
}
