package io.huddle.drift;

import io.huddle.drift.RoomPicture.Seat;
import io.huddle.drift.RoomPicture.Sighting;
import io.huddle.drift.RoomPicture.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rooms as a window's end finds them, said in a few words. */
final class Scenes {
    static final Thresholds DEFAULTS =
            new Thresholds(Duration.ofSeconds(15), Duration.ofSeconds(30), 3, 5, 3, 4, 2, 3, 4);
    static final Instant START = Instant.parse("2026-11-30T12:00:00Z");

    /** A second after the window's end. */
    static final Instant NOW = START.plusSeconds(16);

    private final List<Seat> seats = new ArrayList<>();
    private final Map<String, Sighting> sightings = new HashMap<>();
    private final Map<String, Instant> endings = new HashMap<>();
    private int rejections;

    /** A member since long ago whose lease runs on, and who reported this a second ago. */
    Scenes member(String participant, boolean flowing) {
        return seat(participant, Standing.PRESENT, START.minusSeconds(600), new Sighting(flowing, NOW.minusSeconds(1)));
    }

    Scenes quiet(String participant, Standing standing) {
        seats.add(new Seat(
                participant, standing, START.minusSeconds(600), NOW.plusSeconds(10), NOW.minusSeconds(2), null));
        return this;
    }

    Scenes seat(String participant, Standing standing, Instant joined, Sighting report) {
        seats.add(new Seat(participant, standing, joined, NOW.plusSeconds(10), NOW.minusSeconds(2), report));
        return this;
    }

    Scenes lapsed(String participant, Instant leaseUntil) {
        seats.add(new Seat(
                participant,
                Standing.PRESENT,
                START.minusSeconds(600),
                leaseUntil,
                leaseUntil.minusSeconds(15),
                new Sighting(false, NOW.minusSeconds(1))));
        return this;
    }

    Scenes seen(String participant, boolean flowing, Instant at) {
        sightings.put(participant, new Sighting(flowing, at));
        return this;
    }

    Scenes ended(String participant, Instant at) {
        endings.put(participant, at);
        return this;
    }

    Scenes rejected(int times) {
        rejections = times;
        return this;
    }

    RoomPicture room() {
        return new RoomPicture("r-1", seats, sightings, endings, rejections);
    }
}
