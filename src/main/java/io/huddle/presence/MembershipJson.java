package io.huddle.presence;

import io.huddle.room.Room;
import java.time.Instant;

/** What a join answers: which session and generation the client now is, and how often to renew. */
public record MembershipJson(
        String room,
        String session,
        String participant,
        long generation,
        String state,
        Instant leaseUntil,
        Instant serverTime,
        long heartbeatSeconds,
        long leaseSeconds,
        long seq) {
    static MembershipJson of(Room room, Session session, Instant now) {
        Seat seat = session.seat();
        return new MembershipJson(
                room.id(),
                session.id(),
                session.participant(),
                seat.generation(),
                seat.state().wire(),
                seat.leaseUntil(),
                now,
                seat.terms().heartbeat().toSeconds(),
                seat.terms().lease().toSeconds(),
                room.seq());
    }
}
