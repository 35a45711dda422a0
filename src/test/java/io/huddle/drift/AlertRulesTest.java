package io.huddle.drift;

import static io.huddle.drift.Scenes.DEFAULTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.drift.AlertRules.End;
import io.huddle.drift.AlertRules.Next;
import io.huddle.drift.AlertRules.Open;
import io.huddle.drift.AlertRules.Outcome;
import io.huddle.drift.AlertRules.Subject;
import io.huddle.drift.AlertRules.Watch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Window after window, with the state carried from one to the next as the database carries it. */
class AlertRulesTest {
    private final Map<String, Watch> rooms = new HashMap<>();
    private final Deque<Set<Subject>> history = new ArrayDeque<>();
    private Map<Subject, Open> open = new HashMap<>();
    private int spread = AlertRules.NARROW;
    private List<Next> last = List.of();

    private static Subject subject(String room) {
        return new Subject(room, DriftKind.LEASES_WITHOUT_MEDIA);
    }

    /** One window in which these rooms drift. */
    private void window(String... drifting) {
        Set<Subject> found = new HashSet<>();
        for (String room : drifting) {
            rooms.putIfAbsent(room, Watch.WATCHED);
            found.add(subject(room));
        }
        Map<Subject, Integer> earlier = new HashMap<>();
        history.forEach(window -> window.forEach(one -> earlier.merge(one, 1, Integer::sum)));
        Outcome outcome = AlertRules.next(found, earlier, List.copyOf(open.values()), rooms, spread, DEFAULTS);
        spread = outcome.spread();
        last = outcome.alerts();
        open = new HashMap<>();
        for (Next next : last) {
            if (next.end() == null) {
                open.put(next.subject(), new Open(next.subject(), next.severity(), next.clean()));
            }
        }
        pass(found);
    }

    /** A window that nobody judged. */
    private void noData() {
        pass(Set.of());
    }

    private void pass(Set<Subject> found) {
        history.addLast(found);
        if (history.size() > DEFAULTS.among() - 1) {
            history.removeFirst();
        }
    }

    private Severity severity(String room) {
        return open.getOrDefault(subject(room), new Open(subject(room), Severity.INVESTIGATE, -1))
                .severity();
    }

    private boolean isOpen(String room) {
        return open.containsKey(subject(room));
    }

    @ParameterizedTest
    @CsvSource({
        "D, false",
        "DD, false",
        "DDD, true",
        "DCD, false",
        "DCDD, true",
        "DDCD, true",
        "DDCCD, false",
        "DCCDD, false",
        "D-DD, true",
        "DD--D, false",
        "DD---D, false",
        "DCDCDCDC, false"
    })
    void alert_needsThreeOfTheLastFourWindows(String windows, boolean raised) {
        play(windows);
        assertThat(isOpen("r")).isEqualTo(raised);
    }

    @ParameterizedTest
    @CsvSource({"DDDC, true", "DDDCC, false", "DDDCDC, true", "DDDC-C, false", "DDD-----, true", "DDDC---, true"})
    void alert_closesAfterTwoCleanWindows_andNoDataIsNone(String windows, boolean stillOpen) {
        play(windows);
        assertThat(isOpen("r")).isEqualTo(stillOpen);
    }

    @Test
    void alert_closed_saysThatTheRoomIsClean() {
        play("DDDCC");
        assertThat(last).singleElement().satisfies(next -> {
            assertThat(next.end()).isEqualTo(End.CLEAN);
            assertThat(next.clean()).isEqualTo(2);
        });
    }

    @Test
    void alert_isOpenedOnce() {
        play("DDD");
        assertThat(last)
                .singleElement()
                .satisfies(next -> assertThat(next.isNew()).isTrue());
        play("DDDD");
        assertThat(last)
                .singleElement()
                .satisfies(next -> assertThat(next.isNew()).isFalse());
    }

    @Test
    void oneRoom_isToBeInvestigated_howeverLongItLasts() {
        play("DDDDDDDDDDDD");
        assertThat(severity("r")).isEqualTo(Severity.INVESTIGATE);
    }

    @Test
    void criticalRoom_isAPageAtOnce() {
        rooms.put("r", Watch.CRITICAL);
        play("DDD");
        assertThat(severity("r")).isEqualTo(Severity.PAGE);
    }

    @ParameterizedTest
    @CsvSource({"LEFT_OUT", "SILENCED"})
    void roomThatIsNotWatched_raisesNothing(Watch watch) {
        rooms.put("r", watch);
        play("DDDDDD");
        assertThat(last).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"LEFT_OUT, ROOM_CLOSING", "SILENCED, STAGE"})
    void openAlert_ofARoomThatIsNotWatchedAnyMore_endsAtOnce(Watch watch, End end) {
        play("DDD");
        rooms.put("r", watch);
        play("D");
        assertThat(last).extracting(Next::end).containsExactly(end);
        assertThat(isOpen("r")).isFalse();
    }

    @Test
    void threeRooms_areAPageAfterFourFurtherWindows() {
        for (int i = 0; i < 6; i++) {
            window("a", "b", "c");
            assertThat(severity("a")).as("window %d", i).isEqualTo(Severity.INVESTIGATE);
        }
        window("a", "b", "c");
        assertThat(last).hasSize(3).allMatch(Next::isEscalated);
        window("a", "b", "c");
        assertThat(last).hasSize(3).noneMatch(Next::isEscalated);
        assertThat(severity("c")).isEqualTo(Severity.PAGE);
    }

    @Test
    void twoRooms_areNoPage() {
        for (int i = 0; i < 12; i++) {
            window("a", "b");
        }
        assertThat(severity("a")).isEqualTo(Severity.INVESTIGATE);
    }

    @Test
    void threeKindsOfOneRoom_areOneRoom() {
        rooms.put("a", Watch.WATCHED);
        Set<Subject> found = Set.of(
                new Subject("a", DriftKind.LEASES_WITHOUT_MEDIA),
                new Subject("a", DriftKind.SUSPECT_PILE_UP),
                new Subject("a", DriftKind.REJECTIONS));
        Map<Subject, Integer> earlier = new HashMap<>();
        found.forEach(subject -> earlier.put(subject, 3));
        Outcome outcome = AlertRules.next(found, earlier, List.of(), rooms, 7, DEFAULTS);
        assertThat(outcome.alerts()).hasSize(3).allMatch(next -> next.severity() == Severity.INVESTIGATE);
        assertThat(outcome.spread()).isEqualTo(AlertRules.NARROW);
    }

    @Test
    void spread_countsFurtherWindows_fromTheOneInWhichTheThirdRoomCame() {
        for (int i = 0; i < 8; i++) {
            window("a", "b");
        }
        List<Severity> seen = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            window("a", "b", "c");
            seen.add(severity("a"));
        }
        // Its alert opens with the third window; four further ones follow.
        assertThat(seen.subList(0, 6)).containsOnly(Severity.INVESTIGATE);
        assertThat(seen.get(6)).isEqualTo(Severity.PAGE);
    }

    @Test
    void spread_beginsAnew_whenTheRoomsBecomeFewer() {
        for (int i = 0; i < 5; i++) {
            window("a", "b", "c");
        }
        assertThat(spread).isEqualTo(2);
        window("a", "b");
        window("a", "b");
        assertThat(isOpen("c")).isFalse();
        assertThat(spread).isEqualTo(AlertRules.NARROW);
        assertThat(severity("a")).isEqualTo(Severity.INVESTIGATE);
    }

    @Test
    void page_staysAPage_andTakesInTheNextRoom() {
        for (int i = 0; i < 7; i++) {
            window("a", "b", "c");
        }
        for (int i = 0; i < 3; i++) {
            window("a", "b", "c", "d");
        }
        assertThat(severity("d")).isEqualTo(Severity.PAGE);
        for (int i = 0; i < 4; i++) {
            window("a");
        }
        assertThat(open).hasSize(1);
        assertThat(severity("a")).isEqualTo(Severity.PAGE);
    }

    /** Of the room r: D drifts, C is clean, - is a window that nobody judged. */
    private void play(String windows) {
        for (int i = 0; i < windows.length(); i++) {
            switch (windows.charAt(i)) {
                case 'D' -> window("r");
                case 'C' -> window();
                default -> noData();
            }
        }
    }
}
