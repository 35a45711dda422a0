package io.huddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Store;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was committed of a team's rooms, and the proof that it is a legal history: numbers without gap or duplicate, every
 * session's chain a walk of the state table, nobody let in after {@code closing}, and the rows standing where their last
 * event left them.
 */
final class Journal {
    private static final Set<String> LIVE = Set.of("present", "suspect", "suspended");

    /** From which states an event may come, and where it leads: the table of the page on rooms and presence. */
    private static final Map<String, Step> TABLE = Map.of(
            "participant.joined", new Step(Set.of("absent"), "present", 1),
            "participant.reconnected", new Step(LIVE, "present", 1),
            "participant.suspected", new Step(Set.of("present"), "suspect", 0),
            "participant.recovered", new Step(Set.of("suspect", "suspended"), "present", 0),
            "participant.suspended", new Step(Set.of("present", "suspect"), "suspended", 0),
            "participant.left", new Step(LIVE, "absent", 0),
            "participant.expired", new Step(LIVE, "absent", 0),
            "participant.removed", new Step(LIVE, "absent", 0));

    private static final List<String> ROOM_LIFE = List.of("room.opened", "room.closing", "room.closed");
    private static final List<String> ROOM_STATES = List.of("open", "closing", "closed");

    private final Map<String, List<Told>> rooms;

    private Journal(Map<String, List<Told>> rooms) {
        this.rooms = rooms;
    }

    /** One committed event; the room's own have no session. */
    record Told(
            String room,
            long seq,
            String type,
            @Nullable String session,
            long generation,
            @Nullable String prior,
            String next,
            @Nullable String reason) {
        boolean lets() {
            return type.equals("participant.joined") || type.equals("participant.reconnected");
        }
    }

    private record Step(Set<String> from, String to, int generations) {}

    private record Place(String state, long generation) {
        static final Place NOWHERE = new Place("absent", 0);
    }

    /** Reads the events of the team's rooms and fails unless they are a legal history. */
    static Journal legal(Store store, String team) {
        Journal journal = read(store, team);
        journal.rooms.forEach((room, told) -> assertLegal(store, room, told));
        return journal;
    }

    static Journal read(Store store, String team) {
        String sql = "SELECT e.room_id, e.seq, e.type, e.session_id, e.generation, e.prior, e.next, e.reason"
                + " FROM room_event e JOIN room r ON r.id = e.room_id WHERE r.team = ? ORDER BY e.room_id, e.seq";
        Map<String, List<Told>> rooms = new HashMap<>();
        try (Connection connection = store.connect();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, team);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    Told told = new Told(
                            row.getString(1),
                            row.getLong(2),
                            row.getString(3),
                            row.getString(4),
                            row.getLong(5),
                            row.getString(6),
                            row.getString(7),
                            row.getString(8));
                    rooms.computeIfAbsent(told.room, id -> new ArrayList<>()).add(told);
                }
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(sql, failed);
        }
        return new Journal(rooms);
    }

    List<Told> of(String room) {
        return rooms.getOrDefault(room, List.of());
    }

    List<String> types(String room) {
        return of(room).stream().map(Told::type).toList();
    }

    List<Told> all() {
        return rooms.values().stream().flatMap(List::stream).toList();
    }

    long count(String type) {
        return all().stream().filter(told -> told.type.equals(type)).count();
    }

    private static void assertLegal(Store store, String room, List<Told> history) {
        Map<String, Place> places = new HashMap<>();
        int life = 0;
        long seq = 0;
        for (Told told : history) {
            seq++;
            assertThat(told.seq).as("number of %s in %s", told, history).isEqualTo(seq);
            if (told.session == null) {
                assertRoomStep(told, life, history);
                life++;
            } else {
                assertThat(life)
                        .as("room not yet closed at %s in %s", told, history)
                        .isBetween(1, 2);
                assertThat(told.lets() && life > 1)
                        .as("let in after closing: %s in %s", told, history)
                        .isFalse();
                assertSessionStep(told, places, history);
            }
        }
        assertRows(store, room, seq, ROOM_STATES.get(life - 1), places, history);
    }

    private static void assertRoomStep(Told told, int life, List<Told> history) {
        assertThat(told.type)
                .as("step of the room at %s in %s", told, history)
                .isEqualTo(life < ROOM_LIFE.size() ? ROOM_LIFE.get(life) : "nothing");
        assertThat(told.next).isEqualTo(ROOM_STATES.get(life));
        assertThat(told.prior).isEqualTo(life == 0 ? null : ROOM_STATES.get(life - 1));
    }

    private static void assertSessionStep(Told told, Map<String, Place> places, List<Told> history) {
        String session = String.valueOf(told.session);
        Place before = places.getOrDefault(session, Place.NOWHERE);
        Step step = TABLE.getOrDefault(told.type, new Step(Set.of(), "no such event", 0));
        assertThat(told.prior).as("chain at %s in %s", told, history).isEqualTo(before.state);
        assertThat(step.from).as("rule of %s in %s", told, history).contains(before.state);
        assertThat(told.next).as("rule of %s in %s", told, history).isEqualTo(step.to);
        assertThat(told.generation)
                .as("generation of %s in %s", told, history)
                .isEqualTo(before.generation + step.generations);
        places.put(session, new Place(told.next, told.generation));
    }

    private static void assertRows(
            Store store, String room, long seq, String state, Map<String, Place> places, List<Told> history) {
        assertThat(store.column("SELECT state || ' ' || seq FROM room WHERE id = ?", room))
                .as("row of the room after %s", history)
                .containsExactly(state + " " + seq);
        List<Object> expected = new ArrayList<>();
        places.forEach((session, place) -> expected.add(session + " " + place.state + " " + place.generation));
        assertThat(store.column(
                        "SELECT id || ' ' || state || ' ' || generation FROM room_session WHERE room_id = ?", room))
                .as("rows of the sessions after %s", history)
                .containsExactlyInAnyOrderElementsOf(expected);
    }
}
