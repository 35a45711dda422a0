package io.huddle.drift;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Whose rollout stage raises alerts, as the judging transaction sees it. */
record AlertingTeams(Map<String, Boolean> scopes) {
    private static final String DEPLOYMENT = "deployment";
    private static final String TEAM = "team:";

    static AlertingTeams read(Connection connection) throws SQLException {
        Map<String, Boolean> scopes = new HashMap<>();
        try (PreparedStatement query = connection.prepareStatement("SELECT scope, stage FROM rollout_stage");
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                scopes.put(rows.getString(1), rows.getString(2).equals("alerting"));
            }
        }
        return new AlertingTeams(scopes);
    }

    boolean raiseFor(String team) {
        Boolean own = scopes.get(TEAM + team);
        return own == null ? scopes.getOrDefault(DEPLOYMENT, false) : own;
    }
}
