package io.huddle.presence;

import io.huddle.room.Room;
import io.huddle.security.IceServers;
import io.huddle.security.Tickets;
import java.net.URI;
import java.time.Instant;
import java.util.List;

/**
 * What a join answers: which session and generation the client now is, how often to renew, how to open its stream, and
 * which servers help its media through.
 */
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
        StreamJson stream,
        List<IceServers.IceServer> iceServers,
        long seq) {
    /**
     * How this generation opens its stream.
     *
     * @param ticket good for one stream, until {@code expiresAt}
     */
    public record StreamJson(String url, String ticket, Instant expiresAt) {
        static StreamJson of(URI address, Tickets.Ticket ticket) {
            return new StreamJson(address.toString(), ticket.text(), ticket.expiresAt());
        }
    }

    static MembershipJson of(
            Room room, Session session, Instant now, StreamJson stream, List<IceServers.IceServer> iceServers) {
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
                stream,
                iceServers,
                room.seq());
    }
}
