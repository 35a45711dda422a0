package io.huddle.admin;

import io.huddle.admin.RoomViews.Observed;
import io.huddle.setting.Setting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What media servers and older systems saw last in one room, of each participant what is the latest of all sources. Immutable.
 */
final class Sightings {
    /** More than this of a room are no list that anybody reads. */
    private static final int LISTED = 100;

    /** In: the room. */
    private static final String LATEST_FIRST =
            "SELECT o.participant, o.source, o.media, o.observed_at, s.id AS session_id, s.state, s.lease_until"
                    + " FROM room_observation o"
                    + " LEFT JOIN room_session s ON s.room_id = o.room_id AND s.participant = o.participant"
                    + " WHERE o.room_id = ? ORDER BY o.participant, o.observed_at DESC, o.source";

    /** A listener without a lease is looked for first, and among those the one heard last. */
    private static final Comparator<Observed> WORST_FIRST = Comparator.comparing(
                    (Observed one) -> !one.evidence().isFlowing())
            .thenComparing(one -> one.evidence().at(), Comparator.reverseOrder())
            .thenComparing(Observed::participant);

    /**
     * One participant as it was seen last.
     *
     * @param session the participant's, also one that has ended; null if it has never joined
     * @param leaseUntil of that session, for an ended one the instant it ended
     */
    record Sighting(
            Evidence evidence,
            @Nullable String session,
            boolean isAbsent,
            @Nullable Instant leaseUntil) {
        /** A sighting from before the lease's end says nothing: the participant was a member then. */
        boolean isUnleased(Instant now) {
            if (leaseUntil == null) {
                return true;
            }
            boolean hasEnded = isAbsent || !leaseUntil.isAfter(now);
            return hasEnded && evidence.at().isAfter(leaseUntil);
        }
    }

    private final Map<String, Sighting> latest;
    private final Instant now;

    Sightings(Map<String, Sighting> latest, Instant now) {
        this.latest = latest;
        this.now = now;
    }

    /** How long an observation or a report counts as evidence. */
    static Duration fresh() {
        return Duration.ofSeconds(Setting.OBSERVATION_FRESH_SECONDS.value());
    }

    static Sightings read(Connection connection, String room, Instant now) throws SQLException {
        Map<String, Sighting> latest = new LinkedHashMap<>();
        try (PreparedStatement query = connection.prepareStatement(LATEST_FIRST)) {
            query.setString(1, room);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    latest.putIfAbsent(row.getString("participant"), sighting(row, now));
                }
            }
        }
        return new Sightings(latest, now);
    }

    private static Sighting sighting(ResultSet row, Instant now) throws SQLException {
        Evidence evidence = Evidence.of(
                row.getString("source"), row.getString("media"), Columns.instant(row, "observed_at"), now, fresh());
        return new Sighting(
                evidence,
                row.getString("session_id"),
                "absent".equals(row.getString("state")),
                Columns.optionalInstant(row, "lease_until"));
    }

    /** What was seen last of this participant; null if nothing was. */
    @Nullable
    Evidence of(String participant) {
        Sighting sighting = latest.get(participant);
        return sighting == null ? null : sighting.evidence();
    }

    /**
     * Those who were seen connected and have no lease, except what is so old that no source could tell it any more.
     *
     * @return at most {@value #LISTED}, whose audio flows first, then the latest
     */
    List<Observed> withoutLease() {
        Instant oldest =
                now.minusSeconds(Setting.OBSERVATION_AGE_SECONDS.value()).minus(fresh());
        List<Observed> found = new ArrayList<>();
        latest.forEach((participant, sighting) -> {
            Evidence evidence = sighting.evidence();
            if (!evidence.says().equals("gone") && !evidence.at().isBefore(oldest) && sighting.isUnleased(now)) {
                found.add(new Observed(participant, sighting.session(), evidence));
            }
        });
        return found.stream().sorted(WORST_FIRST).limit(LISTED).toList();
    }
}
