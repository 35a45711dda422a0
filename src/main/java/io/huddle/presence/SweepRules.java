package io.huddle.presence;

import io.huddle.rollout.Stage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the sweep looks for beside expiries. Pure. */
final class SweepRules {
    private SweepRules() {}

    /**
     * True if a present session has given no proof of life for two heartbeat intervals in which it could have: silence
     * during an outage that was forgiven is no evidence.
     */
    static boolean isSilent(Seat seat, Moment written) {
        Instant from = seat.provenAt().isAfter(written.graced()) ? seat.provenAt() : written.graced();
        return seat.state() == SessionState.PRESENT
                && from.plus(seat.terms().patience()).isBefore(written.now());
    }

    /**
     * What a sweep makes of a session: an expiry that is due, and the doubt of one that goes on in silence.
     *
     * @param judged by the beat that the sweep wrote
     */
    static Verdict judge(Seat seat, Moment judged, Stage stage) {
        Verdict due = SessionRules.expire(seat, judged.now(), stage);
        return isSilent(due.seat(), judged) ? SessionRules.doubt(due, Doubt.HEARTBEAT_MISSED, judged.now()) : due;
    }

    /**
     * Cuts what is due, by room, into shares of at most so many sessions: one transaction each. A room with more than that
     * comes in several.
     */
    static List<Map<String, List<String>>> shares(Map<String, List<String>> due, int most) {
        List<Map<String, List<String>>> shares = new ArrayList<>();
        Map<String, List<String>> share = new TreeMap<>();
        int left = most;
        for (Map.Entry<String, List<String>> room : due.entrySet()) {
            List<String> sessions = room.getValue();
            for (int from = 0; from < sessions.size(); ) {
                int to = Math.min(sessions.size(), from + left);
                share.put(room.getKey(), sessions.subList(from, to));
                left -= to - from;
                from = to;
                if (left == 0) {
                    shares.add(share);
                    share = new TreeMap<>();
                    left = most;
                }
            }
        }
        if (!share.isEmpty()) {
            shares.add(share);
        }
        return shares;
    }
}
