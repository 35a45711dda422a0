package io.huddle.admin;

import io.huddle.event.Events;
import io.huddle.event.RoomEvent;
import io.huddle.mesh.ClientJson;
import io.huddle.mesh.Clients;
import io.huddle.room.RoomJson;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.store.Retried;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One room as an operator sees it: everybody who is not yet absent, with what the database knows of them and where they
 * are connected, who is observed without being a member, and what happened. Safe for use by any thread.
 */
@ApplicationScoped
public class RoomViews {
    @Inject
    private Rooms rooms;

    @Inject
    private RoomLook look;

    @Inject
    private Events events;

    @Inject
    private Clients clients;

    /**
     * What a member's last report on its media said.
     *
     * @param state the browser's words for its connections
     */
    public record MediaReport(
            String state,
            @Nullable Boolean flowing,
            @Nullable Long rttMs,
            @Nullable Long packetsLost,
            Instant at) {}

    /**
     * A session that is not absent.
     *
     * @param provenAt its last proof of life
     * @param lapsed true if the lease has run out and no sweep has ended the session yet
     * @param media its own latest report
     * @param evidence the latest of its audio, be it of its own report or of a source; null if nobody has told of it
     * @param node where its stream is, opaque; null if nowhere, or if the registry did not say
     * @param nodeGeneration of that stream
     */
    public record Member(
            String session,
            String participant,
            long generation,
            String state,
            Instant joinedAt,
            Instant leaseUntil,
            Instant provenAt,
            @Nullable Instant suspectAt,
            boolean lapsed,
            @Nullable MediaReport media,
            @Nullable Evidence evidence,
            @Nullable String node,
            @Nullable Long nodeGeneration) {
        Member at(@Nullable ClientJson connected) {
            return new Member(
                    session,
                    participant,
                    generation,
                    state,
                    joinedAt,
                    leaseUntil,
                    provenAt,
                    suspectAt,
                    lapsed,
                    media,
                    evidence,
                    connected == null ? null : connected.node(),
                    connected == null ? null : connected.generation());
        }
    }

    /**
     * Somebody whom a media server or an older system sees and who has no lease.
     *
     * @param session of that participant in this room, one that has ended or whose lease has run out; null if it has never
     *     joined
     */
    public record Observed(String participant, @Nullable String session, Evidence evidence) {}

    /**
     * The room, its members and its latest events.
     *
     * @param stage of the room's team: what a lease that has run out means
     * @param asOf the database's clock
     * @param sweptAt up to when leases have been judged; if that is long ago, nobody expires
     * @param nodesKnown false if the registry did not answer: then no member has a node
     * @param observed who was seen connected and has no lease, whose audio flows first
     * @param events newest first
     * @param next the events before these have smaller numbers than this; null if there are none
     */
    public record RoomView(
            RoomJson room,
            String stage,
            Instant asOf,
            Instant sweptAt,
            boolean nodesKnown,
            List<Member> roster,
            List<Observed> observed,
            List<RoomEvent> events,
            @Nullable Long next) {}

    /** The room with at most {@code limit} events before the number. Audited as a look at the roster. */
    @Retried
    RoomView read(Caller operator, String id, long before, int limit) throws SQLException {
        RoomJson room = rooms.read(operator, id);
        RoomLook.Seen seen = look.at(operator, room.id());
        List<RoomEvent> latest = events.before(room.id(), before, limit);
        Optional<Map<String, ClientJson>> places =
                clients.locate(seen.members().stream().map(Member::session).toList());
        List<Member> roster = seen.members().stream()
                .map(member ->
                        member.at(places.map(all -> all.get(member.session())).orElse(null)))
                .toList();
        long oldest = latest.isEmpty() ? 0 : latest.get(latest.size() - 1).seq();
        return new RoomView(
                room,
                seen.stage(),
                seen.asOf(),
                seen.sweptAt(),
                places.isPresent(),
                roster,
                seen.observed(),
                latest,
                latest.size() == limit && oldest > 1 ? Long.valueOf(oldest) : null);
    }
}
