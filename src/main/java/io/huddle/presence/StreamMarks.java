package io.huddle.presence;

import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.security.Identity;
import io.huddle.store.Database;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Streams;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which sessions have a client stream, kept with the session: what the roster shows before leases decide it, and what it is
 * compared with. One statement for each change, of one row. Safe for use by any thread.
 *
 * <p>A SIGKILL, or an end that could not be written, leaves a mark of a stream that is gone; {@link #repair} finds it by its
 * process, or as one that this process does not have.
 */
@ApplicationScoped
public class StreamMarks {
    private static final int AT_ONCE = 1_000;
    private static final String CONNECTED = "UPDATE room_session SET stream_id = ?, stream_process = ?,"
            + " stream_ended_at = NULL WHERE id = ? AND generation = ?";
    private static final String MARKED = "SELECT id, stream_id, stream_process FROM room_session"
            + " WHERE state IN ('present', 'suspect', 'suspended') AND stream_id IS NOT NULL AND stream_ended_at IS NULL"
            + " AND id > ? ORDER BY id FETCH FIRST " + AT_ONCE + " ROWS ONLY";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Membership membership;

    @Inject
    private Streams streams;

    private record Mark(String session, String connection, String process) {}

    /** Before anybody can see the stream, so that no end of it can come first. */
    void connected(ClientStream stream, Identity.Participant me) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement update = connection.prepareStatement(CONNECTED)) {
            update.setString(1, stream.connectionId());
            update.setString(2, membership.process());
            update.setString(3, me.session());
            update.setLong(4, me.generation());
            update.executeUpdate();
        }
        if (stream.isDead()) {
            ended(me.session(), stream.connectionId());
        }
    }

    void ended(String session, String connection) throws SQLException {
        String sql = "UPDATE room_session SET stream_ended_at = " + clock.now()
                + " WHERE id = ? AND stream_id = ? AND stream_ended_at IS NULL";
        try (Connection database = this.database.connection();
                PreparedStatement update = database.prepareStatement(sql)) {
            update.setString(1, session);
            update.setString(2, connection);
            update.executeUpdate();
        }
    }

    /**
     * Takes away the marks of streams that are gone: of this process and without a stream here, or of a process that is no
     * node any more.
     *
     * @param nodes all that are nodes now, this one among them
     */
    public void repair(List<NodeInfo> nodes) throws SQLException {
        Set<String> processes = nodes.stream().map(NodeInfo::process).collect(Collectors.toSet());
        String mine = membership.process();
        List<Mark> marks = marked("");
        while (!marks.isEmpty()) {
            for (Mark mark : marks) {
                boolean isGone = mark.process().equals(mine)
                        ? streams.find(mark.session(), mark.connection()).isEmpty()
                        : !processes.contains(mark.process());
                if (isGone) {
                    ended(mark.session(), mark.connection());
                }
            }
            marks = marked(marks.get(marks.size() - 1).session());
        }
    }

    private List<Mark> marked(String after) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(MARKED)) {
            query.setString(1, after);
            List<Mark> marks = new ArrayList<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    marks.add(new Mark(row.getString(1), row.getString(2), row.getString(3)));
                }
            }
            return marks;
        }
    }
}
