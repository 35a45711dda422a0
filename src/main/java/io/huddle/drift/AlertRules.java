package io.huddle.drift;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a window's findings do to the alerts. Pure; the state between windows is the open alerts, how the last windows were,
 * and for how long the trouble has been a wide one.
 */
final class AlertRules {
    /** The spread while fewer rooms have an alert than make one trouble. */
    static final int NARROW = -1;

    private AlertRules() {}

    /** A room and in which way it drifts: at most one alert of each is open. */
    record Subject(String room, DriftKind kind) implements Comparable<Subject> {
        private static final Comparator<Subject> ORDER =
                Comparator.comparing(Subject::room).thenComparing(Subject::kind);

        @Override
        public int compareTo(Subject other) {
            return ORDER.compare(this, other);
        }
    }

    /** What an alert can still be raised for. */
    enum Watch {
        WATCHED,
        /** Its workflow wants somebody at once. */
        CRITICAL,
        /** Closing, closed, gone or synthetic. */
        LEFT_OUT,
        /** Of a team whose rollout stage raises no alerts. */
        SILENCED
    }

    /** Why an alert ended. */
    enum End {
        CLEAN,
        ROOM_CLOSING,
        STAGE;

        String wire() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    /** An open alert before the window. */
    record Open(Subject subject, Severity severity, int clean) {}

    /**
     * What becomes of one alert.
     *
     * @param before null if this window opens it
     * @param clean how many clean windows it has seen in a row
     * @param end null while it is open
     */
    record Next(
            Subject subject,
            @Nullable Severity before,
            Severity severity,
            int clean,
            @Nullable End end) {
        boolean isNew() {
            return before == null;
        }

        boolean isEscalated() {
            return before == Severity.INVESTIGATE && severity == Severity.PAGE && end == null;
        }
    }

    /**
     * The alerts after a window.
     *
     * @param spread the next window's
     */
    record Outcome(List<Next> alerts, int spread) {}

    /**
     * @param found in this window
     * @param earlier in how many of the windows before it, as many as count, the same was found; none where nobody judged
     * @param open the open alerts
     * @param rooms of every room in {@code found} and {@code open}
     * @param spread as the window before left it
     */
    static Outcome next(
            Set<Subject> found,
            Map<Subject, Integer> earlier,
            List<Open> open,
            Map<String, Watch> rooms,
            int spread,
            Thresholds thresholds) {
        Map<Subject, Next> alerts = new TreeMap<>();
        for (Open one : open) {
            alerts.put(
                    one.subject(), goOn(one, found.contains(one.subject()), watch(rooms, one.subject()), thresholds));
        }
        for (Subject subject : found) {
            Watch watch = watch(rooms, subject);
            boolean isRaised = earlier.getOrDefault(subject, 0) + 1 >= thresholds.divergent();
            if (isRaised && isWatched(watch) && !alerts.containsKey(subject)) {
                alerts.put(subject, new Next(subject, null, severity(watch), 0, null));
            }
        }
        Set<String> affected = new HashSet<>();
        alerts.values().stream()
                .filter(alert -> alert.end() == null)
                .forEach(alert -> affected.add(alert.subject().room()));
        int wide = affected.size() < thresholds.pageRooms() ? NARROW : spread + 1;
        boolean isPaged = wide >= thresholds.pageWindows();
        List<Next> next = new ArrayList<>();
        alerts.values().forEach(alert -> next.add(isPaged ? paged(alert) : alert));
        return new Outcome(next, wide);
    }

    private static Next goOn(Open one, boolean isFound, Watch watch, Thresholds thresholds) {
        int clean = isFound ? 0 : one.clean() + 1;
        End end = watch == Watch.LEFT_OUT
                ? End.ROOM_CLOSING
                : watch == Watch.SILENCED ? End.STAGE : clean >= thresholds.clean() ? End.CLEAN : null;
        return new Next(one.subject(), one.severity(), one.severity(), clean, end);
    }

    private static Next paged(Next alert) {
        return alert.end() != null
                ? alert
                : new Next(alert.subject(), alert.before(), Severity.PAGE, alert.clean(), null);
    }

    private static boolean isWatched(Watch watch) {
        return watch == Watch.WATCHED || watch == Watch.CRITICAL;
    }

    private static Severity severity(Watch watch) {
        return watch == Watch.CRITICAL ? Severity.PAGE : Severity.INVESTIGATE;
    }

    private static Watch watch(Map<String, Watch> rooms, Subject subject) {
        return rooms.getOrDefault(subject.room(), Watch.LEFT_OUT);
    }
}
