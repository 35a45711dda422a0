package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.Tokens;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators find and see: rooms, sessions, one room from close by, the audit, the settings. */
class OperatorsIT extends StreamContract {
    private static final String ROOMS = "/admin/rooms";
    private static final String SESSIONS = "/admin/sessions";
    private static final String AUDIT = "/admin/audit";
    private static final Duration QUICK = Duration.ofMillis(200);

    @Test
    void rooms_ofAllTeams_areFoundByWhateverIsKnownOfThem() {
        Api ada = participant("ada");
        String word = "Nacht-" + unique();
        String room =
                openRoom(ada, aRoom().add("occurrence", "100%-" + unique()).add("label", word + " Übergabe"));
        String session = join(ada, room).session();
        String event = events(room, 0).get(1).getString("id");

        for (String text :
                List.of(room, session, event, room.substring(4, 20), word, word.toUpperCase(Locale.ROOT), team)) {
            assertThat(found(ROOMS, "q=" + encoded(text), "id")).as(text).containsExactly(room);
        }
        assertThat(found(ROOMS, "team=" + team + "&q=" + encoded("100%-"), "id"))
                .containsExactly(room);
        assertThat(found(ROOMS, "team=" + team + "&q=" + encoded("1__%"), "id")).isEmpty();
        assertThat(found(ROOMS, "q=r-00000000000000000000000000", "id")).isEmpty();
    }

    @Test
    void rooms_listed_haveTheirSessionsCountedAndTheirLastEvent() {
        Membership ada = joined("ada");
        join(participant("bob"), ada.room()).suspend().assertStatus(200);

        JsonObject room = items(ROOMS, "team=" + team).get(0);

        assertThat(room.getInt("present")).isOne();
        assertThat(room.getInt("suspect")).isZero();
        assertThat(room.getInt("suspended")).isOne();
        assertThat(room.getInt("oldestUnrenewedSeconds")).isBetween(0, 60);
        assertThat(room.getJsonArray("drift")).isEmpty();
        assertThat(room.getJsonObject("lastEvent").getString("type")).isEqualTo("participant.suspended");
        assertThat(room.getJsonObject("lastEvent").getString("id"))
                .isEqualTo(events(ada.room(), 3).get(0).getString("id"));
    }

    @Test
    void rooms_filtered_areThoseAndNoOthers() {
        Api ada = participant("ada");
        String open = openRoom(ada);
        String synthetic = openRoom(ada, aRoom().add("synthetic", true));
        String closed = openRoom(ada);
        ada.close(closed).assertStatus(200);
        String old = openRoom(ada);
        change("UPDATE room SET created_at = created_at - INTERVAL '3' HOUR WHERE id = ?", old);

        String mine = "team=" + team;
        assertThat(found(ROOMS, mine, "id")).containsExactly(closed, synthetic, open, old);
        assertThat(found(ROOMS, mine + "&state=closed", "id")).containsExactly(closed);
        assertThat(found(ROOMS, mine + "&state=open&synthetic=false", "id")).containsExactly(open, old);
        assertThat(found(ROOMS, mine + "&synthetic=true", "id")).containsExactly(synthetic);
        assertThat(found(ROOMS, mine + "&age=120", "id")).containsExactly(old);
        assertThat(found(ROOMS, "team=nobody", "id")).isEmpty();
    }

    /** The window lies far ahead, so that it is the newest whatever the node judges meanwhile. */
    @Test
    void rooms_drifting_areFoundByTheKindOfDrift() {
        String room = openRoom(participant("ada"));
        openRoom(participant("ada"));
        Timestamp window = Timestamp.from(Instant.parse("2099-01-01T00:00:00Z"));
        site.store()
                .update(
                        "INSERT INTO drift_window (started_at, seconds, judged_at, version, sessions)"
                                + " VALUES (?, 15, ?, 'of a test', 0)",
                        window,
                        window);
        try {
            site.store()
                    .update(
                            "INSERT INTO drift_room (started_at, room_id, kind) VALUES (?, ?, 'suspect_pile_up')",
                            window,
                            room);

            assertThat(found(ROOMS, "drift=any", "id")).containsExactly(room);
            assertThat(found(ROOMS, "drift=suspect_pile_up&team=" + team, "id")).containsExactly(room);
            assertThat(found(ROOMS, "drift=rejections", "id")).isEmpty();
            assertThat(items(ROOMS, "q=" + room).get(0).getJsonArray("drift")).hasToString("[\"suspect_pile_up\"]");
        } finally {
            site.store().update("DELETE FROM drift_room WHERE started_at = ?", window);
            site.store().update("DELETE FROM drift_window WHERE started_at = ?", window);
        }
    }

    @Test
    void pages_ofRooms_haveEachRoomOnceWhateverIsOpenedMeanwhile() {
        Api ada = participant("ada");
        Set<String> before = new LinkedHashSet<>();
        for (int i = 0; i < 5; i++) {
            before.add(openRoom(ada));
        }
        List<String> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonObject page = operator()
                    .get(ROOMS + "?limit=2&team=" + team + "&cursor=" + cursor)
                    .assertStatus(200)
                    .json();
            page.getJsonArray("items").getValuesAs(JsonObject.class).forEach(room -> seen.add(room.getString("id")));
            cursor = page.getString("next", "");
            openRoom(ada);
        } while (!cursor.isEmpty());

        assertThat(seen).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void sessions_ofAllRooms_areFoundByStateAndText() {
        Membership ada = joined("ada-" + team);
        Membership bob = join(participant("bob-" + team), ada.room());
        bob.suspend().assertStatus(200);
        Membership eve = join(participant("eve-" + team), ada.room());
        eve.leave().assertStatus(204);

        assertThat(found(SESSIONS, "q=" + team, "session")).containsExactly(bob.session(), ada.session());
        assertThat(found(SESSIONS, "state=suspended&q=" + team, "session")).containsExactly(bob.session());
        assertThat(found(SESSIONS, "state=absent&q=" + ada.room(), "session")).containsExactly(eve.session());
        assertThat(found(SESSIONS, "q=ADA-" + team, "session")).containsExactly(ada.session());
        JsonObject found = items(SESSIONS, "q=" + ada.session()).get(0);
        assertThat(found.getString("room")).isEqualTo(ada.room());
        assertThat(found.getString("team")).isEqualTo(team);
        assertThat(found.getString("roomState")).isEqualTo("open");
        assertThat(found.getInt("generation")).isOne();
        assertThat(found.getBoolean("lapsed")).isFalse();
        assertThat(Instant.parse(found.getString("leaseUntil"))).isAfter(Instant.parse(found.getString("provenAt")));
    }

    @Test
    void room_fromCloseBy_hasLeaseMediaNodeAndTimeline() {
        Member ada = member("ada", openRoom(participant("ada")));
        String room = ada.membership().room();
        ada.membership().media("connected").assertStatus(204);
        Membership bob = join(participant("bob"), room);

        JsonObject view = Awaiting.value(
                Awaiting.PATIENCE,
                "ada's stream in the registry",
                () -> operator().get(ROOMS + "/" + room).assertStatus(200).json(),
                seen -> roster(seen).get(0).containsKey("node"));

        assertThat(view.getJsonObject("room")).isEqualTo(operator().room(room).json());
        assertThat(view.getBoolean("nodesKnown")).isTrue();
        assertThat(view.getString("stage")).isEqualTo("alerting");
        assertThat(Instant.parse(view.getString("sweptAt"))).isBeforeOrEqualTo(time(view, "asOf"));
        JsonObject hers = roster(view).get(0);
        JsonObject his = roster(view).get(1);
        assertThat(hers.getString("session")).isEqualTo(ada.session());
        assertThat(hers.getString("node"))
                .isEqualTo(operator().get("/clients/" + ada.session()).json().getString("node"));
        assertThat(hers.getInt("nodeGeneration")).isOne();
        assertThat(hers.getJsonObject("media").getString("state")).isEqualTo("connected");
        assertThat(time(hers, "leaseUntil")).isAfter(time(view, "asOf"));
        assertThat(hers.getBoolean("lapsed")).isFalse();
        assertThat(his.getString("session")).isEqualTo(bob.session());
        assertThat(his.keySet()).doesNotContain("node", "media");
        assertThat(view.getJsonArray("events").getValuesAs(JsonObject.class))
                .extracting(event -> event.getInt("seq"))
                .containsExactly(3, 2, 1);
        assertThat(view.containsKey("next")).isFalse();
    }

    /** What a media server said of members was judged by and shown nowhere, and whom it heard without a lease had no name. */
    @Test
    void room_observedByAMediaServer_showsTheLatestOfEachAudioAndWhoHasNoLease() {
        Membership ada = joined("ada");
        String room = ada.room();
        join(participant("bob"), room);
        join(participant("cyd"), room);
        Membership eve = join(participant("eve"), room);
        ada.media("connected").assertStatus(204);
        Instant now = time(operator().get(ROOMS + "/" + room).json(), "asOf");
        observe(room, "sfu-1", now.minusSeconds(60), "bob", "flowing", "cyd", "silent");
        observe(room, "sfu-2", now.minusSeconds(50), "cyd", "gone");
        ada.media("failed").assertStatus(204);
        eve.leave().assertStatus(204);
        observe(room, "sfu-1", null, "bob", "silent", "eve", "flowing", "stranger", "flowing", "other", "gone");

        JsonObject view = operator().get(ROOMS + "/" + room).assertStatus(200).json();

        assertThat(roster(view))
                .extracting(member -> told(member.getString("participant"), member))
                .containsExactly("ada: failed", "bob: silent by sfu-1", "cyd: gone by sfu-2, out of date");
        JsonObject fresh = roster(view).get(1).getJsonObject("evidence");
        assertThat(fresh.getInt("ageSeconds")).isEqualTo((int)
                Duration.between(time(fresh, "at"), time(view, "asOf")).toSeconds());
        List<JsonObject> observed = view.getJsonArray("observed").getValuesAs(JsonObject.class);
        assertThat(observed)
                .extracting(one -> told(one.getString("participant"), one))
                .containsExactly("eve: flowing by sfu-1", "stranger: flowing by sfu-1");
        assertThat(observed).extracting(one -> one.getString("session", "none")).containsExactly(eve.session(), "none");
    }

    private void observe(String room, String source, @Nullable Instant at, String... participants) {
        JsonArrayBuilder seen = Json.createArrayBuilder();
        for (int i = 0; i < participants.length; i += 2) {
            seen.add(Api.json().add("participant", participants[i]).add("media", participants[i + 1]));
        }
        JsonObjectBuilder observation = Api.json().add("source", source).add("participants", seen);
        if (at != null) {
            observation.add("observedAt", at.toString());
        }
        integrator()
                .post("/rooms/" + room + "/observations", observation.build())
                .assertStatus(204);
    }

    private static String told(String participant, JsonObject one) {
        JsonObject evidence = one.getJsonObject("evidence");
        String source = evidence.containsKey("source") ? " by " + evidence.getString("source") : "";
        String age = evidence.getBoolean("outOfDate") ? ", out of date" : "";
        return participant + ": " + evidence.getString("says") + source + age;
    }

    @Test
    void timeline_ofARoom_isPagedBackToItsBeginning() {
        Membership ada = joined("ada");
        for (int i = 0; i < 3; i++) {
            ada = ada.again();
        }
        List<Integer> seen = new ArrayList<>();
        String before = "";
        do {
            JsonObject view = operator()
                    .get(ROOMS + "/" + ada.room() + "?limit=2" + before)
                    .assertStatus(200)
                    .json();
            view.getJsonArray("events").getValuesAs(JsonObject.class).forEach(event -> seen.add(event.getInt("seq")));
            before = view.containsKey("next") ? "&before=" + view.getInt("next") : "";
        } while (!before.isEmpty());

        assertThat(seen).containsExactly(5, 4, 3, 2, 1);
    }

    /** A lease that has run out is what an operator looks for, also while nobody may judge it. */
    @Test
    void room_whileNoSweepRuns_isShownWithTheTimeOfTheLast() {
        Membership ada = joined("ada");
        site.withoutSweep(() -> {
            lapse(ada.session());
            JsonObject view =
                    operator().get(ROOMS + "/" + ada.room()).assertStatus(200).json();
            assertThat(roster(view))
                    .singleElement()
                    .satisfies(member -> assertThat(member.getBoolean("lapsed")).isTrue());
        });
    }

    @Test
    void room_thatIsNotThere_isNotFound() {
        operator().get(ROOMS + "/r-00000000000000000000000000").assertProblem(404, "room-not-found");
        operator().get(ROOMS + "/x").assertProblem(404, "room-not-found");
    }

    @Test
    void lookAtARoster_asOperator_isAuditedOnceInAWhile() {
        Membership ada = joined("ada");
        Api other = Api.of(site.node(), Tokens.operator("night-shift"));
        operator().roster(ada.room()).assertStatus(200);
        operator().get(ROOMS + "/" + ada.room()).assertStatus(200);
        operator().roster(ada.room()).assertStatus(200);
        other.get(ROOMS + "/" + ada.room()).assertStatus(200);
        participant("ada").roster(ada.room()).assertStatus(200);

        assertThat(found(AUDIT, "action=roster.read&room=" + ada.room(), "actor"))
                .containsExactly("night-shift", "on-call");
    }

    /** Who read the events, or the snapshot in their place, learned as much and left no line. */
    @Test
    void readOfTheEvents_asOperator_isALookAtTheRoster() {
        Membership ada = joined("ada");
        operator().events(ada.room(), 0).assertStatus(200);
        operator().events(ada.room(), 1).assertStatus(200);
        participant("ada").events(ada.room(), 0).assertStatus(200);

        assertThat(found(AUDIT, "action=roster.read&room=" + ada.room(), "actor"))
                .containsExactly("on-call");
    }

    /** Who searched the sessions by the id of a room saw who is in it, and left no line. */
    @Test
    void searchOfSessions_byTheIdOfARoom_isALookAtTheRoster() {
        Membership ada = joined("ada");
        String left = openRoom(participant("ada"));
        String unknown = "r-00000000000000000000000000";
        assertThat(found(SESSIONS, "q=" + ada.room(), "session")).containsExactly(ada.session());
        assertThat(found(SESSIONS, "state=absent&q=" + ada.room(), "session")).isEmpty();
        assertThat(found(SESSIONS, "q=" + left, "session")).isEmpty();
        assertThat(found(SESSIONS, "q=" + unknown, "session")).isEmpty();

        for (String room : List.of(ada.room(), left)) {
            assertThat(found(AUDIT, "action=roster.read&room=" + room, "actor")).containsExactly("on-call");
        }
        assertThat(found(AUDIT, "action=roster.read&room=" + unknown, "actor")).isEmpty();
    }

    /** The audit is only ever added to, by a test as well. */
    @Test
    void lookAtARoster_longAfterTheLast_isAuditedAgain() {
        Membership ada = joined("ada");
        Api late = Api.of(site.node(), Tokens.operator("late-shift"));
        Instant now = time(late.room(ada.room()).assertStatus(200).json(), "createdAt");
        site.store()
                .update(
                        "INSERT INTO audit (id, at, actor, action, room_id) VALUES (?, ?, 'late-shift', 'roster.read', ?)",
                        "a-" + unique(),
                        Timestamp.from(now.minus(Duration.ofMinutes(16))),
                        ada.room());

        late.get(ROOMS + "/" + ada.room()).assertStatus(200);
        late.get(ROOMS + "/" + ada.room()).assertStatus(200);

        assertThat(found(AUDIT, "actor=late-shift&room=" + ada.room(), "action"))
                .containsExactly("roster.read", "roster.read");
    }

    @Test
    void audit_ofADeed_isFoundByWhomWhatWhyAndAboutWhat() {
        Membership ada = joined("ada");
        String why = "Geist auf Station " + unique();
        operator()
                .with("Huddle-Reason", why)
                .post(
                        SESSIONS + "/" + ada.session() + "/remove",
                        Api.json().add("generation", 1).build())
                .assertStatus(204);

        for (String query : List.of(
                "q=" + encoded(why.toLowerCase(Locale.ROOT)),
                "session=" + ada.session(),
                "action=session.remove&room=" + ada.room(),
                "actor=on-call&q=" + ada.session())) {
            JsonObject line = items(AUDIT, query).get(0);
            assertThat(line.getString("reason")).as(query).isEqualTo(why);
            assertThat(line.getInt("generation")).isOne();
            assertThat(line.keySet())
                    .containsExactlyInAnyOrder(
                            "id", "at", "actor", "action", "reason", "room", "session", "generation");
        }
        assertThat(found(AUDIT, "actor=nobody", "id")).isEmpty();
    }

    @Test
    void overview_unchanged_isNotSentAgain_andATransitionChangesIt() {
        Answer first = operator().get("/admin/overview").assertStatus(200);
        assertThat(first.json().keySet()).contains("asOf", "sweptAt", "rooms", "sessions", "alerts", "driftingRooms");
        String tag = first.header("ETag").orElseThrow();
        assertThat(tag).startsWith("W/\"");

        joined("ada");

        Answer changed = Awaiting.value(
                Awaiting.PATIENCE,
                "the join in the overview",
                () -> operator().with("If-None-Match", tag).get("/admin/overview"),
                answer -> answer.status() == 200);
        String newer = changed.header("ETag").orElseThrow();
        assertThat(newer).isNotEqualTo(tag);
        Awaiting.until("an overview that has not changed", () -> {
            String latest = operator().get("/admin/overview").header("ETag").orElseThrow();
            return operator()
                            .with("If-None-Match", latest)
                            .get("/admin/overview")
                            .status()
                    == 304;
        });
    }

    @Test
    void config_ofTheNode_hasEverySettingAndNoSecret() {
        Answer answer = operator().get("/admin/config").assertStatus(200);

        assertThat(answer.text()).doesNotContain("seals the clients");
        List<JsonObject> settings = answer.json().getJsonArray("settings").getValuesAs(JsonObject.class);
        assertThat(settings)
                .filteredOn(setting -> setting.getString("name").equals("huddle.keys.secret"))
                .singleElement()
                .satisfies(setting -> {
                    assertThat(setting.getBoolean("hidden")).isTrue();
                    assertThat(setting.containsKey("value")).isFalse();
                });
        assertThat(settings)
                .filteredOn(setting -> setting.getString("name").equals("huddle.sweep.outage-limit-ms"))
                .singleElement()
                .satisfies(setting -> {
                    assertThat(setting.getString("value")).isEqualTo("30000");
                    assertThat(setting.getString("byDefault")).isEqualTo("2000");
                    assertThat(setting.getBoolean("changed")).isTrue();
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rooms?state=gone",
                "rooms?drift=some",
                "rooms?age=-1",
                "rooms?age=old",
                "rooms?synthetic=maybe",
                "rooms?team=",
                "rooms?q=%01",
                "rooms?limit=0",
                "rooms?cursor=x",
                "rooms/r-00000000000000000000000000?before=0",
                "rooms/r-00000000000000000000000000?before=x",
                "sessions?state=here",
                "sessions?limit=x",
                "sessions?cursor=x",
                "audit?cursor=x",
                "audit?limit=1000",
                "audit?actor="
            })
    void question_thatMakesNoSense_isInvalid(String question) {
        operator().get("/admin/" + question).assertProblem(400, "invalid-request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "rooms", "rooms/r-00000000000000000000000000", "sessions", "audit", "config"})
    void view_forAnybodyButOperators_isForbidden(String view) {
        for (Api api : List.of(participant("ada"), integrator())) {
            api.get("/admin/" + view).assertProblem(403, "forbidden");
        }
    }

    /** The size that a hospital group has on a bad day; the sessions are alive for as long as the test runs. */
    @Test
    void searches_among2000RoomsAnd10000Sessions_takeLessThan200Ms() throws SQLException {
        Instant now = time(operator().get(ROOMS + "?limit=1").assertStatus(200).json(), "asOf");
        try {
            fill(now, 2_000, 5);
            for (String search : List.of(
                    ROOMS + "?limit=200",
                    ROOMS + "?limit=50&q=" + team + "-19",
                    ROOMS + "?limit=50&q=nowhere-at-all",
                    ROOMS + "?limit=50&state=open&synthetic=false&age=5",
                    ROOMS + "?limit=50&drift=any",
                    SESSIONS + "?limit=200",
                    SESSIONS + "?limit=50&state=present&q=crowd-99",
                    SESSIONS + "?limit=50&q=nobody-at-all",
                    "/admin/overview")) {
                assertThat(fastest(search)).as(search).isLessThan(QUICK);
            }
        } finally {
            site.store().update("DELETE FROM room_session WHERE room_id LIKE ?", team + "%");
            site.store().update("DELETE FROM room WHERE team = ?", team);
        }
    }

    /** Of some tries: the machine that runs the tests does other things too. */
    private Duration fastest(String search) {
        Duration best = Duration.ofDays(1);
        for (int i = 0; i < 8; i++) {
            long start = System.nanoTime();
            operator().get(search).assertStatus(200);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            best = took.compareTo(best) < 0 ? took : best;
        }
        return best;
    }

    private void fill(Instant now, int rooms, int sessionsEach) throws SQLException {
        Timestamp ahead = Timestamp.from(now.plus(Duration.ofDays(1)));
        try (Connection connection = site.store().connect();
                PreparedStatement room = connection.prepareStatement(
                        "INSERT INTO room (id, team, occurrence, open_occurrence, critical, synthetic,"
                                + " heartbeat_seconds, lease_seconds, suspended_lease_seconds, max_participants, state,"
                                + " created_by, created_at, seq, idempotency_key, fingerprint)"
                                + " VALUES (?, ?, ?, ?, FALSE, FALSE, 30, 120, 900, 50, 'open', 'ada', ?, 1, ?, 'x')");
                PreparedStatement session = connection.prepareStatement(
                        "INSERT INTO room_session (id, room_id, participant, generation, state, lease_until, proven_at,"
                                + " joined_at, counter, room_open, heartbeat_seconds, lease_seconds,"
                                + " suspended_lease_seconds)"
                                + " VALUES (?, ?, ?, 1, 'present', ?, ?, ?, -1, TRUE, 30, 120, 900)")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < rooms; i++) {
                String id = team + "-" + i;
                room.setString(1, id);
                room.setString(2, team);
                room.setString(3, id);
                room.setString(4, id);
                room.setTimestamp(5, Timestamp.from(now.minusSeconds(i)));
                room.setString(6, id);
                room.addBatch();
                for (int j = 0; j < sessionsEach; j++) {
                    session.setString(1, id + "-" + j);
                    session.setString(2, id);
                    session.setString(3, "crowd-" + j);
                    session.setTimestamp(4, ahead);
                    session.setTimestamp(5, ahead);
                    session.setTimestamp(6, Timestamp.from(now.minusSeconds(i)));
                    session.addBatch();
                }
            }
            room.executeBatch();
            session.executeBatch();
            connection.commit();
        }
    }

    private List<String> found(String path, String query, String member) {
        return items(path, query).stream().map(item -> item.getString(member)).toList();
    }

    private List<JsonObject> items(String path, String query) {
        return operator()
                .get(path + "?" + query)
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getValuesAs(JsonObject.class);
    }

    private static List<JsonObject> roster(JsonObject view) {
        return view.getJsonArray("roster").getValuesAs(JsonObject.class);
    }

    private static Instant time(JsonObject json, String member) {
        return Instant.parse(json.getString(member));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
