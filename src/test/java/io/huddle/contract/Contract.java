package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the tests of the contract share: a site, a team that no other test has, its people and their rooms. */
@ParameterizedClass(name = "{0}")
@EnumSource(Site.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class Contract {
    /** Calm enough that nobody becomes suspect while a busy machine gets through a test. */
    static final int HEARTBEAT = 20;

    static final int LEASE = 60;
    static final int SUSPENDED_LEASE = 300;

    /** What the database holds of a session. */
    record Row(
            String state,
            @Nullable String ending,
            long generation,
            long counter,
            Instant leaseUntil,
            Instant provenAt,
            @Nullable Instant suspectAt) {}

    final String team = "team-" + unique();

    @Parameter
    @SuppressWarnings("NullAway.Init")
    Site site;

    /** Whatever the tests of a class did, the node called none of it a defect of its own. */
    @AfterParameterizedClassInvocation
    static void noDefectInTheLog(Site site) {
        assertThat(site.node()
                        .log()
                        .lines()
                        .filter(line -> line.contains("\"module\":\"io.huddle."))
                        .filter(line -> line.contains("\"loglevel\":\"SEVERE\"")))
                .isEmpty();
    }

    static String unique() {
        return UUID.randomUUID().toString().substring(0, 13);
    }

    Api participant(String subject) {
        return Api.of(site.node(), Tokens.participant(subject, team));
    }

    Api integrator() {
        return Api.of(site.node(), Tokens.integrator("ehr-server", team));
    }

    Api operator() {
        return Api.of(site.node(), Tokens.operator("on-call"));
    }

    /** An operator that has said why. */
    Api operatorWithReason() {
        return operator().with("Huddle-Reason", "left behind after the standup");
    }

    /** Right in everything, but of another team. */
    Api outsider() {
        return Api.of(site.node(), Tokens.participant("outsider", "team-of-others"));
    }

    /** The request for a room of this team, with the calm policy, still open for more fields. */
    JsonObjectBuilder aRoom() {
        return Api.json()
                .add("team", team)
                .add("occurrence", "standup-" + unique())
                .add("policy", calm());
    }

    static JsonObjectBuilder calm() {
        return Api.json()
                .add("heartbeatSeconds", HEARTBEAT)
                .add("leaseSeconds", LEASE)
                .add("suspendedLeaseSeconds", SUSPENDED_LEASE);
    }

    /** Opens a room with the calm policy. */
    String openRoom(Api creator) {
        return openRoom(creator, aRoom());
    }

    static String openRoom(Api creator, JsonObjectBuilder room) {
        return creator.createRoom(unique(), room).assertStatus(201).json().getString("id");
    }

    static Membership join(Api api, String room) {
        return Membership.of(api, api.join(room));
    }

    /** Opens a room and joins it. */
    Membership joined(String subject) {
        Api api = participant(subject);
        return join(api, openRoom(api));
    }

    /** The room's events after this number. */
    List<JsonObject> events(String room, long after) {
        return operator()
                .get("/rooms/" + room + "/events?limit=200&after=" + after)
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    List<String> eventTypes(String room, long after) {
        return events(room, after).stream()
                .map(event -> event.getString("type"))
                .toList();
    }

    long seq(String room) {
        return operator()
                .room(room)
                .assertStatus(200)
                .json()
                .getJsonNumber("seq")
                .longValue();
    }

    /** Who the roster shows, as {@code participant:state}, in its order. */
    List<String> roster(String room) {
        Answer roster = operator().roster(room).assertStatus(200);
        return roster.json().getJsonArray("entries").getValuesAs(JsonObject.class).stream()
                .map(entry -> entry.getString("participant") + ":" + entry.getString("state"))
                .toList();
    }

    static Instant time(Answer answer, String member) {
        return Instant.parse(answer.json().getString(member));
    }

    Row row(String session) {
        String sql = "SELECT state, ending, generation, counter, lease_until, proven_at, suspect_at FROM room_session"
                + " WHERE id = ?";
        try (Connection connection = site.store().connect();
                PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, session);
            try (ResultSet row = query.executeQuery()) {
                assertThat(row.next()).as("a row of session %s", session).isTrue();
                var suspectAt = row.getTimestamp(7);
                return new Row(
                        row.getString(1),
                        row.getString(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getTimestamp(5).toInstant(),
                        row.getTimestamp(6).toInstant(),
                        suspectAt == null ? null : suspectAt.toInstant());
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    Row awaitState(String session, String state) {
        return Awaiting.value(
                Awaiting.PATIENCE,
                "session " + session + " " + state,
                () -> row(session),
                row -> row.state().equals(state));
    }

    /** Ends a lease behind the product's back, long ago. The next sweep will find it. */
    void lapse(String session) {
        change("UPDATE room_session SET lease_until = lease_until - INTERVAL '1000' SECOND WHERE id = ?", session);
    }

    /** Makes a room look as if the node that closed it had died half way, a day in the future: nobody finishes it. */
    void stopHalfClosed(String room) {
        change(
                "UPDATE room SET state = 'closing', open_occurrence = NULL,"
                        + " closing_at = created_at + INTERVAL '1' DAY WHERE id = ?",
                room);
        site.store().update("UPDATE room_session SET room_open = FALSE WHERE room_id = ?", room);
    }

    void change(String sql, String id) {
        assertThat(site.store().update(sql, id)).as(sql).isOne();
    }

    void change(String sql, Object value, String id) {
        assertThat(site.store().update(sql, value, id)).as(sql).isOne();
    }
}
