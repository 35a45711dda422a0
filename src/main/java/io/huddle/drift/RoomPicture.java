package io.huddle.drift;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was known of one open room at the end of a window. Pure.
 *
 * @param seats its sessions that are not absent
 * @param sightings what a media server or an older system saw last, by participant
 * @param endings when absent participants' leases ended, for those that were sighted
 * @param rejections of older generations within the window
 */
record RoomPicture(
        String room, List<Seat> seats, Map<String, Sighting> sightings, Map<String, Instant> endings, int rejections) {
    /** Whether audio flowed, and when that was found. */
    record Sighting(boolean flowing, Instant at) {
        /** The later of the two, this one where they are of one instant. */
        Sighting orLater(Sighting other) {
            return other.at.isAfter(at) ? other : this;
        }
    }

    /** How a session stands, as its row says. */
    enum Standing {
        PRESENT,
        SUSPECT,
        SUSPENDED
    }

    /**
     * A session that is not absent.
     *
     * @param joinedAt since when it has been leased without a break
     * @param provenAt its last proof of life
     * @param report its own report of its audio, null if it has told nothing of it
     */
    record Seat(
            String participant,
            Standing standing,
            Instant joinedAt,
            Instant leaseUntil,
            Instant provenAt,
            @Nullable Sighting report) {
        boolean isLeased(Instant now) {
            return leaseUntil.isAfter(now);
        }
    }

    /** Those whose lease runs. */
    List<Seat> leased(Instant now) {
        return seats.stream().filter(seat -> seat.isLeased(now)).toList();
    }
}
