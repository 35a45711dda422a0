package io.huddle.drift;

import io.huddle.drift.AlertRules.Watch;
import io.huddle.drift.RoomPicture.Seat;
import io.huddle.drift.RoomPicture.Sighting;
import io.huddle.drift.RoomPicture.Standing;
import io.huddle.rollout.Stage;
import io.huddle.rollout.Stages;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what there is to judge, for all open rooms at once and without a lock: a window is a look, not a change. Rooms that
 * are closing, closed or synthetic are left out from the start.
 */
final class Survey {
    private static final String ROOMS = "SELECT id FROM room WHERE state = 'open' AND synthetic = FALSE";
    /** What a member's own report says, of the table {@code s}. */
    static final String REPORT = "s.media_state, s.media_flowing, s.media_at";

    private static final String SEATS =
            "SELECT room_id, participant, state, joined_at, lease_until, proven_at, " + REPORT
                    + " FROM room_session s"
                    + " WHERE state IN ('present', 'suspect', 'suspended') AND room_open";
    private static final String SIGHTINGS = "SELECT o.room_id, o.participant, o.media, o.observed_at"
            + " FROM room r JOIN room_observation o ON o.room_id = r.id"
            + " WHERE r.state = 'open' AND r.synthetic = FALSE AND o.observed_at >= ?";
    private static final String REJECTIONS =
            "SELECT room_id, sum(rejections) FROM drift_rejection WHERE started_at = ? GROUP BY room_id";
    private static final String ENDINGS =
            "SELECT room_id, participant, lease_until FROM room_session WHERE room_id = ANY (?) AND state = 'absent'";
    private static final String FACTS = "SELECT r.id, r.state, r.synthetic, r.critical, " + Stages.ofTeam("r.team")
            + ", e.type, e.at"
            + " FROM room r LEFT JOIN room_event e ON e.room_id = r.id AND e.seq = r.seq WHERE r.id = ANY (?)";
    private static final int FETCH = 2_000;

    private final Connection connection;

    Survey(Connection connection) {
        this.connection = connection;
    }

    /** A room while its picture is put together. */
    private record Sketch(List<Seat> seats, Map<String, Sighting> sightings, Map<String, Instant> endings) {}

    /** Every open room that anything is known of, by id. */
    Map<String, RoomPicture> take(Window window, Instant now, Duration evidence) throws SQLException {
        Map<String, Sketch> rooms = rooms();
        seats(rooms);
        sightings(rooms, now.minus(evidence));
        endings(rooms, now);
        Map<String, Integer> rejections = rejections(window);
        Map<String, RoomPicture> pictures = new HashMap<>();
        rooms.forEach((id, room) -> {
            int refused = rejections.getOrDefault(id, 0);
            if (!room.seats().isEmpty() || !room.sightings().isEmpty() || refused > 0) {
                pictures.put(id, new RoomPicture(id, room.seats(), room.sightings(), room.endings(), refused));
            }
        });
        return pictures;
    }

    /** What alerts tell of these rooms, also of those that were left out. */
    Map<String, Facts> facts(Set<String> ids, Map<String, RoomPicture> pictures, Instant now) throws SQLException {
        Map<String, Facts> facts = new HashMap<>();
        try (PreparedStatement query = ofRooms(FACTS, ids);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                String id = row.getString(1);
                RoomPicture picture = pictures.get(id);
                List<Seat> leased = picture == null ? List.of() : picture.leased(now);
                Timestamp at = row.getTimestamp(7);
                facts.put(
                        id,
                        Facts.of(
                                watch(row),
                                row.getString(2),
                                leased,
                                now,
                                row.getString(6),
                                at == null ? null : at.toInstant()));
            }
        }
        return facts;
    }

    private static Watch watch(ResultSet row) throws SQLException {
        if (!row.getString(2).equals("open") || row.getBoolean(3)) {
            return Watch.LEFT_OUT;
        }
        if (!Stage.of(row.getString(5)).raisesAlerts()) {
            return Watch.SILENCED;
        }
        return row.getBoolean(4) ? Watch.CRITICAL : Watch.WATCHED;
    }

    private Map<String, Sketch> rooms() throws SQLException {
        Map<String, Sketch> rooms = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement(ROOMS)) {
            query.setFetchSize(FETCH);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rooms.put(row.getString(1), new Sketch(new ArrayList<>(), new HashMap<>(), new HashMap<>()));
                }
            }
        }
        return rooms;
    }

    private void seats(Map<String, Sketch> rooms) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SEATS)) {
            query.setFetchSize(FETCH);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Sketch room = rooms.get(row.getString(1));
                    if (room != null) {
                        room.seats().add(seat(row));
                    }
                }
            }
        }
    }

    private static Seat seat(ResultSet row) throws SQLException {
        return new Seat(
                row.getString(2),
                Standing.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                instant(row, 4),
                instant(row, 5),
                instant(row, 6),
                report(row, 7));
    }

    /** What a member's own report proves, in the columns from this one on. */
    static @Nullable Sighting report(ResultSet row, int column) throws SQLException {
        String state = row.getString(column);
        if (state == null) {
            return null;
        }
        boolean flag = row.getBoolean(column + 1);
        Boolean flows = ReportedAudio.flows(state, row.wasNull() ? null : flag);
        return flows == null ? null : new Sighting(flows, instant(row, column + 2));
    }

    /** What a source observed, in the columns from this one on. */
    static @Nullable Sighting seen(ResultSet row, int column) throws SQLException {
        String media = row.getString(column);
        return media == null ? null : new Sighting(media.equals("flowing"), instant(row, column + 1));
    }

    /** Of several sources the latest counts. */
    private void sightings(Map<String, Sketch> rooms, Instant oldest) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(SIGHTINGS)) {
            query.setFetchSize(FETCH);
            query.setTimestamp(1, Timestamp.from(oldest));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Sketch room = rooms.get(row.getString(1));
                    Sighting seen = seen(row, 3);
                    if (room != null && seen != null) {
                        room.sightings().merge(row.getString(2), seen, Sighting::orLater);
                    }
                }
            }
        }
    }

    /** Asked only where audio flows of somebody who is not leased. */
    private void endings(Map<String, Sketch> rooms, Instant now) throws SQLException {
        Set<String> wanted = new TreeSet<>();
        rooms.forEach((id, room) -> {
            Set<String> flowing = new TreeSet<>();
            room.sightings().forEach((participant, seen) -> {
                if (seen.flowing()) {
                    flowing.add(participant);
                }
            });
            room.seats().stream()
                    .filter(seat -> seat.isLeased(now))
                    .forEach(seat -> flowing.remove(seat.participant()));
            if (!flowing.isEmpty()) {
                wanted.add(id);
            }
        });
        if (wanted.isEmpty()) {
            return;
        }
        try (PreparedStatement query = ofRooms(ENDINGS, wanted);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                Sketch room = rooms.get(row.getString(1));
                if (room != null) {
                    room.endings().put(row.getString(2), instant(row, 3));
                }
            }
        }
    }

    private Map<String, Integer> rejections(Window window) throws SQLException {
        Map<String, Integer> rejections = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement(REJECTIONS)) {
            query.setTimestamp(1, Timestamp.from(window.start()));
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    rejections.put(row.getString(1), (int) Math.min(Integer.MAX_VALUE, row.getLong(2)));
                }
            }
        }
        return rejections;
    }

    private PreparedStatement ofRooms(String sql, Collection<String> ids) throws SQLException {
        PreparedStatement query = connection.prepareStatement(sql);
        query.setArray(1, connection.createArrayOf("VARCHAR", ids.toArray()));
        return query;
    }

    /** In the form that the driver reads without a calendar: there are four in each of many rows. */
    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
