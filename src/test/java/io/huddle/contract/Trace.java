package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Store;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that the tables hold, every row and column, to compare with later: a refused request leaves no trace. Only the
 * sweep's heartbeat is left out, which changes all the time.
 */
record Trace(Store store, Map<String, List<String>> tables) {
    private static final Map<String, String> QUERIES = Map.of(
            "room", "SELECT * FROM room ORDER BY id",
            "room_session", "SELECT * FROM room_session ORDER BY id",
            "session_join", "SELECT * FROM session_join ORDER BY session_id, join_key",
            "room_event", "SELECT * FROM room_event ORDER BY room_id, seq",
            "client_key", "SELECT * FROM client_key ORDER BY client",
            "client_secret", "SELECT * FROM client_secret ORDER BY id",
            "client_team", "SELECT * FROM client_team ORDER BY client, team",
            "rollout_stage", "SELECT * FROM rollout_stage ORDER BY scope",
            "room_observation", "SELECT * FROM room_observation ORDER BY room_id, source, participant",
            // Looking at a roster as an operator leaves a line, and the tests look.
            "audit", "SELECT * FROM audit WHERE action <> 'roster.read' ORDER BY id");

    static Trace of(Store store) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        try (Connection connection = store.connect();
                Statement statement = connection.createStatement()) {
            for (Map.Entry<String, String> query : QUERIES.entrySet()) {
                try (ResultSet rows = statement.executeQuery(query.getValue())) {
                    tables.put(query.getKey(), rows(rows));
                }
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        return new Trace(store, tables);
    }

    /** Fails with the rows that differ. */
    void assertUnchanged() {
        Trace now = of(store);
        tables.forEach(
                (table, rows) -> assertThat(now.tables().get(table)).as(table).isEqualTo(rows));
    }

    private static List<String> rows(ResultSet rows) throws SQLException {
        int columns = rows.getMetaData().getColumnCount();
        List<String> all = new ArrayList<>();
        while (rows.next()) {
            StringBuilder row = new StringBuilder();
            for (int column = 1; column <= columns; column++) {
                row.append(rows.getString(column)).append('|');
            }
            all.add(row.toString());
        }
        return all;
    }
}
