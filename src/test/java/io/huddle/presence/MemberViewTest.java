package io.huddle.presence;

import static io.huddle.presence.Seats.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.rollout.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemberViewTest {
    private static MemberView view(String state, long secondsLeft, boolean lostStream, @Nullable String observed) {
        return new MemberView(state, NOW.plusSeconds(secondsLeft), lostStream, observed);
    }

    @ParameterizedTest
    @EnumSource(Stage.class)
    void roster_isByLeasesFromLeasesOn_andByConnectionsBefore(Stage stage) {
        MemberView ghost = view("suspect", -1, false, null);
        MemberView dropped = view("suspect", 9, true, null);
        assertThat(ghost.isShown(stage, false, NOW)).isEqualTo(!stage.endsLeases());
        assertThat(dropped.isShown(stage, false, NOW)).isEqualTo(stage.endsLeases());
        assertThat(view("present", 9, false, null).isShown(stage, false, NOW)).isTrue();
        assertThat(view("absent", 9, false, "flowing").isShown(stage, true, NOW))
                .isFalse();
    }

    @Test
    void connection_withoutAnyStream_counts() {
        assertThat(view("present", -1, false, null).isConnected(false)).isTrue();
        assertThat(view("present", 9, true, null).isConnected(false)).isFalse();
    }

    @Test
    void olderRoster_whileItIsFed_goesBeforeTheSockets() {
        assertThat(view("present", 9, true, "silent").isConnected(true)).isTrue();
        assertThat(view("present", 9, true, "flowing").isConnected(true)).isTrue();
        assertThat(view("present", 9, false, "gone").isConnected(true)).isFalse();
        assertThat(view("present", 9, false, null).isConnected(true)).isFalse();
    }
}
