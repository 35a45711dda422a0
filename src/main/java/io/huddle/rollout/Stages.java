package io.huddle.rollout;

import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The stage of the deployment and of the teams that have one of their own. Safe for use by any thread.
 *
 * <p>Nobody keeps a stage in memory: whoever acts by it reads it in the transaction that acts, with {@link #ofTeam} in a
 * statement of its own after its locks.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class Stages {
    private static final Logger LOG = Logger.getLogger(Stages.class.getName());

    /** More teams than a rollout goes through one by one; bounds the list. */
    private static final int MOST_TEAMS = 1_000;

    private static final String LIST = "SELECT scope, stage, changed_at, changed_by FROM rollout_stage"
            + " ORDER BY CASE WHEN scope = 'deployment' THEN 0 ELSE 1 END, scope";
    private static final String LOCK = LIST + " FOR UPDATE";
    private static final String UPDATE =
            "UPDATE rollout_stage SET stage = ?, changed_at = ?, changed_by = ? WHERE scope = ?";
    private static final String INSERT =
            "INSERT INTO rollout_stage (stage, changed_at, changed_by, scope) VALUES (?, ?, ?, ?)";
    private static final String DELETE = "DELETE FROM rollout_stage WHERE scope = ?";
    private static final String OF_ROOMS = "SELECT r.id, " + ofTeam("r.team") + " FROM room r WHERE r.id = ANY (?)";

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<StageChanged> changed;

    @Inject
    private Event<OperatorActed> acted;

    /**
     * A stage that was set.
     *
     * @param changedBy who set it; empty for the one a deployment begins with
     */
    public record Choice(Scope scope, Stage stage, Instant changedAt, String changedBy) {}

    /**
     * The stage of a team's rooms, as a scalar expression for any statement.
     *
     * @param team an expression for the team, such as a column; used once
     */
    public static String ofTeam(String team) {
        return "COALESCE((SELECT own.stage FROM rollout_stage own WHERE own.scope = 'team:' || " + team + "),"
                + " (SELECT whole.stage FROM rollout_stage whole WHERE whole.scope = 'deployment'))";
    }

    /** The deployment's and the teams' own, in that order. */
    @Retried
    public List<Choice> list() throws SQLException {
        return query(LIST);
    }

    /** The stage of each of these rooms, in the caller's transaction. */
    public Map<String, Stage> ofRooms(Collection<String> rooms) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(OF_ROOMS)) {
            query.setArray(1, connection.createArrayOf("VARCHAR", rooms.toArray()));
            Map<String, Stage> stages = new HashMap<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    stages.put(row.getString(1), Stage.of(row.getString(2)));
                }
            }
            return stages;
        }
    }

    /**
     * Sets a stage. From the commit on it applies, on every node. Setting the one that is set already is audited, too.
     *
     * @throws Refused {@code invalid-request} if too many teams have a stage of their own
     */
    @Retried
    public Choice set(Caller operator, Scope scope, Stage stage, String reason) throws SQLException {
        List<Choice> before = query(LOCK);
        boolean isNew = find(before, scope) == null;
        if (isNew && before.size() > MOST_TEAMS) {
            throw Refused.invalid("at most " + MOST_TEAMS + " teams have a stage of their own; set the deployment's");
        }
        Instant now = clock.read();
        try (Connection connection = database.connection();
                PreparedStatement write = connection.prepareStatement(isNew ? INSERT : UPDATE)) {
            write.setString(1, stage.wire());
            write.setTimestamp(2, Timestamp.from(now));
            write.setString(3, operator.subject());
            write.setString(4, scope.text());
            write.executeUpdate();
        }
        become(scope, effective(before, scope), stage);
        audit(operator, "stage." + stage.wire(), reason, scope, now);
        return new Choice(scope, stage, now, operator.subject());
    }

    /**
     * Takes a team's own stage back: the deployment's applies again. Does nothing for a team without one.
     *
     * @throws Refused {@code invalid-request} for the deployment, which always has a stage
     */
    @Retried
    public void takeBack(Caller operator, Scope scope, String reason) throws SQLException {
        if (scope.team() == null) {
            throw Refused.invalid("the deployment always has a stage; only a team's can be taken back");
        }
        List<Choice> before = query(LOCK);
        if (find(before, scope) == null) {
            return;
        }
        Instant now = clock.read();
        try (Connection connection = database.connection();
                PreparedStatement delete = connection.prepareStatement(DELETE)) {
            delete.setString(1, scope.text());
            delete.executeUpdate();
        }
        become(scope, effective(before, scope), effective(before, Scope.DEPLOYMENT));
        audit(operator, "stage.take-back", reason, scope, now);
    }

    private void become(Scope scope, Stage before, Stage after) {
        if (before != after) {
            changed.fire(new StageChanged(scope, before, after));
        }
        LOG.log(Level.INFO, "the rollout stage {0} gives way to {1} ({2})", new Object[] {
            before.wire(), after.wire(), scope.team() == null ? "deployment" : "one team"
        });
    }

    private void audit(Caller operator, String action, String reason, Scope scope, Instant now) {
        acted.fire(OperatorActed.onTarget(operator.subject(), action, reason, scope.text(), now));
    }

    private static Stage effective(List<Choice> all, Scope scope) {
        Choice own = find(all, scope);
        Choice applies = own == null ? find(all, Scope.DEPLOYMENT) : own;
        if (applies == null) {
            throw new IllegalStateException("the deployment has no stage: a row of rollout_stage is missing");
        }
        return applies.stage();
    }

    private static @Nullable Choice find(List<Choice> all, Scope scope) {
        return all.stream().filter(one -> one.scope().equals(scope)).findFirst().orElse(null);
    }

    private List<Choice> query(String sql) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(sql);
                ResultSet row = query.executeQuery()) {
            List<Choice> found = new ArrayList<>();
            while (row.next()) {
                found.add(new Choice(
                        Scope.parse(row.getString(1)),
                        Stage.of(row.getString(2)),
                        row.getTimestamp(3).toInstant(),
                        row.getString(4)));
            }
            return found;
        }
    }
}
