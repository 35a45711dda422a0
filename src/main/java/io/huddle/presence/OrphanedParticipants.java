package io.huddle.presence;

import io.huddle.mesh.NodeClientsOrphaned;
import io.huddle.presence.SessionStreamMetrics.Departure;
import io.huddle.presence.Sessions.Lost;
import io.huddle.presence.Sessions.NodeLost;
import io.huddle.registry.ClientRecord;
import io.huddle.security.Identity;
import io.huddle.store.Database;
import io.huddle.stream.Streams;
import io.huddle.web.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Participants whose node is dead become suspect, with the reason {@code node-lost}. Never absent: the lease decides.
 *
 * <p>Fenced by the generation, and idempotent, so it may be told of twice. Whatever fails is thrown, and the same
 * participants come again; while the database is away, without an end.
 */
@ApplicationScoped
public class OrphanedParticipants {
    /** Bounds how long a transaction holds its rooms: joins and leaves wait for it. */
    private static final int SESSIONS_A_TRANSACTION = 100;

    private static final String ROOMS = "SELECT id, room_id FROM room_session WHERE id = ANY (?)";

    @Inject
    private Database database;

    @Inject
    private Sessions sessions;

    @Inject
    private Streams streams;

    @Inject
    private PresenceMetrics refusals;

    @Inject
    private SessionStreamMetrics metrics;

    void orphaned(@Observes NodeClientsOrphaned orphaned) throws SQLException {
        Map<String, Lost> streams = lost(orphaned.clients());
        if (streams.isEmpty()) {
            return;
        }
        for (Map<String, List<String>> share : SweepRules.shares(byRoom(streams.keySet()), SESSIONS_A_TRANSACTION)) {
            NodeLost free = sessions.nodeLost(share, streams, false);
            count(share, free);
            for (String room : free.busy()) {
                Map<String, List<String>> alone = Map.of(room, share.getOrDefault(room, List.of()));
                count(alone, sessions.nodeLost(alone, streams, true));
            }
        }
    }

    /** The lost generation, and its stream, of each participant that has no stream here by now. */
    private Map<String, Lost> lost(List<ClientRecord> clients) {
        Map<String, Lost> lost = new HashMap<>();
        for (ClientRecord client : clients) {
            String session = client.session();
            if (session != null && Ids.isOf('s', session) && !isHere(session, client.generation())) {
                lost.merge(
                        session,
                        new Lost(client.generation(), client.connectionId()),
                        (one, other) -> one.generation() >= other.generation() ? one : other);
            }
        }
        return lost;
    }

    private boolean isHere(String session, long generation) {
        return streams.find(session)
                .filter(stream -> stream.identity() instanceof Identity.Participant me && me.generation() >= generation)
                .isPresent();
    }

    /** A session that is gone by now is in no room. */
    private Map<String, List<String>> byRoom(Set<String> sessions) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(ROOMS)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", sessions.toArray()));
            Map<String, List<String>> rooms = new TreeMap<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    rooms.computeIfAbsent(rows.getString(2), room -> new ArrayList<>())
                            .add(rows.getString(1));
                }
            }
            return rooms;
        }
    }

    private void count(Map<String, List<String>> asked, NodeLost done) {
        int others = asked.entrySet().stream()
                .filter(room -> !done.busy().contains(room.getKey()))
                .mapToInt(room -> room.getValue().size())
                .sum();
        metrics.departed(Departure.SUSPECTED, done.suspected());
        metrics.departed(Departure.STALE, done.stale().size());
        metrics.departed(
                Departure.UNCHANGED,
                Math.max(0, others - done.suspected() - done.stale().size()));
        done.stale().forEach(refusals::rejected);
    }
}
