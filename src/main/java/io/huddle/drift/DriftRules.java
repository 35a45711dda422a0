package io.huddle.drift;

import io.huddle.drift.RoomPicture.Seat;
import io.huddle.drift.RoomPicture.Sighting;
import io.huddle.drift.RoomPicture.Standing;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges one room for one window: per session, counted per room. Pure. */
final class DriftRules {
    private static final int COMPANY = 2;

    private DriftRules() {}

    /**
     * In which ways the room drifts.
     *
     * @param start of the window
     * @param now when it is judged, after its end
     */
    static Set<DriftKind> judge(RoomPicture room, Instant start, Instant now, Thresholds thresholds) {
        EnumSet<DriftKind> kinds = EnumSet.noneOf(DriftKind.class);
        Instant oldest = now.minus(thresholds.evidence());
        List<Seat> leased = room.leased(now);
        if (hasSilentLease(room, leased, start, oldest)) {
            kinds.add(DriftKind.LEASES_WITHOUT_MEDIA);
        }
        if (hasUnleasedMedia(room, leased, oldest)) {
            kinds.add(DriftKind.MEDIA_WITHOUT_LEASE);
        }
        long suspects = leased.stream()
                .filter(seat -> seat.standing() == Standing.SUSPECT)
                .count();
        if (leased.size() >= thresholds.suspects() && 2 * suspects >= leased.size()) {
            kinds.add(DriftKind.SUSPECT_PILE_UP);
        }
        if (room.rejections() >= thresholds.rejections()) {
            kinds.add(DriftKind.REJECTIONS);
        }
        return kinds;
    }

    /**
     * Who is suspended has said that its audio stops, which is no drift; and who is left alone with the suspended has
     * nobody to hear.
     */
    private static boolean hasSilentLease(RoomPicture room, List<Seat> leased, Instant start, Instant oldest) {
        List<Seat> awake = leased.stream()
                .filter(seat -> seat.standing() != Standing.SUSPENDED)
                .toList();
        return awake.size() >= COMPANY
                && awake.stream()
                        .filter(seat -> !seat.joinedAt().isAfter(start))
                        .map(seat -> latest(seat.report(), room.sightings().get(seat.participant())))
                        .anyMatch(sighting -> sighting != null && !sighting.flowing() && isFresh(sighting, oldest));
    }

    /** A sighting from before the lease's end says nothing: the participant was a member then. */
    private static boolean hasUnleasedMedia(RoomPicture room, List<Seat> leased, Instant oldest) {
        Set<String> members = new HashSet<>();
        leased.forEach(seat -> members.add(seat.participant()));
        for (Map.Entry<String, Sighting> sighted : room.sightings().entrySet()) {
            Sighting sighting = sighted.getValue();
            if (sighting.flowing() && isFresh(sighting, oldest) && !members.contains(sighted.getKey())) {
                Instant ended = ended(room, sighted.getKey());
                if (ended == null || sighting.at().isAfter(ended)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static @Nullable Instant ended(RoomPicture room, String participant) {
        return room.seats().stream()
                .filter(seat -> seat.participant().equals(participant))
                .map(Seat::leaseUntil)
                .findFirst()
                .orElseGet(() -> room.endings().get(participant));
    }

    private static boolean isFresh(Sighting sighting, Instant oldest) {
        return !sighting.at().isBefore(oldest);
    }

    /** The later of the two, the first where they are of one instant. */
    static @Nullable Sighting latest(@Nullable Sighting one, @Nullable Sighting other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.orLater(other);
    }
}
