package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.Keys;

/** The operators' page: every view, by keyboard alone, in either theme without a barrier. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ConsoleIT extends BrowserNode {
    /** The folder that the pictures of the documentation are written to, if this property says so. */
    private static final String SCREENSHOTS = "huddle.console.screenshots";

    private static final Duration LIVE = Duration.ofSeconds(1);
    private static final String TEAM = "ward-7";
    private static final String ROSTER = "[aria-label='Roster']";
    private static final String TIMELINE = "[aria-label='What happened']";

    /** Views that only tell what is, with something that each of them says here. */
    private static final Map<String, String> QUIET = Map.of(
            "nodes", "ready",
            "orphans", "Nothing waits",
            "rollout", "the whole deployment");

    @Test
    void everyView_byKeyboard_isFoundSearchedAndActedOn_withoutABarrier() {
        String room = seed();
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console"));
            browser.awaitShown("#signin-submit");
            check(browser, "signin");
            signIn(browser);
            browser.awaitText("status", "Live");

            browser.awaitTextIn("#view", "leases without media");
            assertThat(browser.isFocused("#alerts-title")).isTrue();
            assertThat(browser.text("nav-alerts")).contains("1");
            check(browser, "alerts");

            open(browser, "rooms");
            browser.awaitTextIn("[aria-label='Rooms']", "Night handover");
            browser.awaitTextIn("[aria-label='Rooms']", "morning-done");
            check(browser, "rooms");
            browser.tabTo("#rooms-q");
            browser.keys("NIGHT hand", Keys.ENTER);
            browser.awaitNoTextIn("[aria-label='Rooms']", "morning-done");
            browser.tabTo("tbody a");
            browser.keys(Keys.ENTER);

            browser.awaitText("room-title", "Night handover");
            browser.awaitText("following", "Followed live");
            browser.awaitTextIn(ROSTER, "clinician-bbbb");
            check(browser, "room");
            seeALeave(browser, room);
            removeByKeyboard(browser, room);

            open(browser, "sessions");
            browser.awaitTextIn("[aria-label='Sessions']", "clinician-cccc");
            check(browser, "sessions");
            browser.tabTo("#sessions-q");
            browser.keys("clinician-dddd", Keys.ENTER);
            browser.awaitNoTextIn("[aria-label='Sessions']", "clinician-cccc");
            browser.awaitTextIn("[aria-label='Sessions']", "clinician-dddd");

            QUIET.forEach((view, words) -> {
                open(browser, view);
                browser.awaitTextIn("#view", words);
                check(browser, view);
            });

            open(browser, "audit");
            browser.awaitTextIn("[aria-label='Audit']", "Geist, 病棟 bestätigt");
            check(browser, "audit");
            open(browser, "config");
            browser.awaitTextIn("[aria-label='Settings']", "huddle.demo");
            check(browser, "config");
            browser.tabTo("#config-q");
            browser.keys("sweep");
            browser.awaitNoTextIn("[aria-label='Settings']", "huddle.demo");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void room_closedByKeyboard_asksForAReasonAndTakesNoneThatIsEmpty() {
        Api ada = as("clinician-eeee", "participant", TEAM);
        String room = create(ada, "standup-closing", null);
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/room/" + room));
            signIn(browser);
            browser.awaitText("room-title", "standup-closing");
            browser.tabTo("#close-room");
            browser.keys(Keys.ENTER);
            browser.awaitShown("#reason-dialog");
            assertThat(browser.isFocused("#reason")).isTrue();
            browser.tabTo("#reason-confirm");
            browser.keys(Keys.ENTER);
            browser.awaitShown("#reason-dialog");
            browser.keys(Keys.ESCAPE);
            browser.awaitGone("#reason-dialog");
            assertThat(browser.isFocused("#close-room")).isTrue();
            assertThat(ada.room(room).json().getString("state")).isEqualTo("open");

            browser.keys(Keys.ENTER);
            browser.awaitShown("#reason-dialog");
            browser.keys("left open by mistake");
            check(browser, "reason");
            browser.tabTo("#reason-confirm");
            browser.keys(Keys.ENTER);
            browser.awaitTextIn("#room-state", "closed");
            browser.awaitTextIn(TIMELINE, "The room was closed");
            assertThat(ada.room(room).json().getString("state")).isEqualTo("closed");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** The list that had the focus is hidden with its last row. */
    @Test
    void lastMember_gone_leavesTheFocusInTheView() {
        Api ada = as("clinician-ffff", "participant", TEAM);
        String room = create(ada, "alone", null);
        ada.join(room).assertStatus(201);
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/room/" + room));
            signIn(browser);
            browser.awaitText("following", "Followed live");
            browser.tabTo("button[aria-label^='Remove clinician-ffff']");
            ada.leave(room, session(room, "clinician-ffff"), 1).assertStatus(204);
            browser.awaitShown("#view .empty");
            assertThat(browser.isFocused("#room-title")).isTrue();
        }
    }

    /** What a media server says of members was nowhere to be seen, nor whom it hears without a lease. */
    @Test
    void room_observedByAMediaServer_showsItsWordAndWhoHasNoLease() {
        Api ada = as("clinician-hhhh", "participant", TEAM);
        String room = create(ada, "observed", null);
        ada.join(room).assertStatus(201);
        JsonArrayBuilder seen = Json.createArrayBuilder()
                .add(Api.json().add("participant", "clinician-hhhh").add("media", "silent"))
                .add(Api.json().add("participant", "clinician-iiii").add("media", "flowing"));
        JsonObject observation =
                Api.json().add("source", "sfu-1").add("participants", seen).build();
        as("ehr-server", "integrator", TEAM)
                .post("/rooms/" + room + "/observations", observation)
                .assertStatus(204);
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/room/" + room));
            signIn(browser);
            browser.awaitTextIn(ROSTER, "silent");
            browser.awaitTextIn(ROSTER, "seen by sfu-1");
            browser.awaitTextIn("#observed", "clinician-iiii");
            assertThat(browser.textIn("#observed")).contains("flowing", "seen by sfu-1");
            store().update(
                            "UPDATE room_observation SET observed_at = observed_at - INTERVAL '60' SECOND WHERE room_id = ?",
                            room);
            browser.awaitTextIn("#observed", "out of date");
            for (String theme : new String[] {"light", "dark"}) {
                browser.theme(theme);
                assertThat(browser.barriers()).as(theme).isEmpty();
            }
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** The room before stayed on the page, its button to close it, too, which would have closed the other one. */
    @Test
    void room_thatIsUnknown_showsNothingOfTheRoomBefore() {
        String room = create(as("clinician-gggg", "participant", TEAM), "still-open", null);
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/room/" + room));
            signIn(browser);
            browser.awaitText("following", "Followed live");
            browser.awaitShown("#close-room");
            browser.script("location.hash = '#/room/r-unknown'");
            browser.awaitText("room-title", "This room cannot be shown");
            assertThat(browser.shows("#close-room")).isFalse();
            assertThat(browser.text("room-facts")).isEmpty();
            assertThat(browser.text("room-state")).isEmpty();
            assertThat(browser.text("following")).isNotEqualTo("Followed live");
        }
    }

    /** Every object has something of these names: the page stayed empty. */
    @Test
    void address_ofNoView_isTheFirstView() {
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/constructor"));
            signIn(browser);
            browser.awaitShown("#alerts-title");
            browser.awaitText("status", "Live");
        }
    }

    @Test
    void lastHour_drawn_isAlsoThereAsText() {
        try (Browser browser = Browser.open()) {
            browser.go(node().uri("/console#/charts"));
            signIn(browser);
            browser.awaitShown(".chart .line");
            browser.awaitTextIn("#view", "Renewal lateness");
            browser.awaitTextIn("#chart-sessions ~ .legend", "suspended");
            check(browser, "charts");
            browser.tabTo("summary");
            browser.keys(Keys.ENTER);
            browser.awaitTextIn("details[open] table", "present");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void signIn(Browser browser) {
        browser.awaitShown("#signin-submit");
        browser.tabTo("#signin-submit");
        browser.keys(Keys.ENTER);
    }

    /** From the commit, whose time the event has, to the page: both by the clock of this machine. */
    private void seeALeave(Browser browser, String room) {
        browser.tabTo("button[aria-label^='Remove clinician-cccc']");
        browser.watchFor(TIMELINE, "clinician-cccc left");
        as("clinician-cccc", "participant", TEAM)
                .leave(room, session(room, "clinician-cccc"), 1)
                .assertStatus(204);
        long shown = browser.awaitSeen();
        JsonObject left = operator().events(room, 0).json().getJsonArray("items").getValuesAs(JsonObject.class).stream()
                .filter(event -> event.getString("type").equals("participant.left"))
                .findFirst()
                .orElseThrow();
        assertThat(Duration.between(Instant.parse(left.getString("at")), Instant.ofEpochMilli(shown)))
                .isLessThan(LIVE);
        browser.awaitNoTextIn(ROSTER, "clinician-cccc");
        // The row went with the button that had the focus, which fell back to the top of the page.
        assertThat(browser.isFocused(ROSTER)).isTrue();
        as("clinician-cccc", "participant", TEAM).join(room).assertStatus(200);
        browser.awaitTextIn(ROSTER, "clinician-cccc");
    }

    private void removeByKeyboard(Browser browser, String room) {
        String button = "button[aria-label^='Remove clinician-bbbb']";
        browser.tabTo(button);
        browser.keys(Keys.ENTER);
        browser.awaitShown("#reason-dialog");
        browser.keys("Geist, 病棟 bestätigt");
        browser.tabTo("#reason-confirm");
        browser.keys(Keys.ENTER);
        browser.awaitGone("#reason-dialog");
        browser.awaitNoTextIn(ROSTER, "clinician-bbbb");
        browser.awaitTextIn(TIMELINE, "clinician-bbbb was removed");
        JsonObject line = operator()
                .get("/admin/audit?action=session.remove&room=" + room)
                .assertStatus(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(line.getString("reason")).isEqualTo("Geist, 病棟 bestätigt");
        assertThat(line.getInt("generation")).isOne();
    }

    /** By the list of views, with the keyboard. */
    private static void open(Browser browser, String view) {
        browser.tabTo("#nav-" + view);
        browser.keys(Keys.ENTER);
        browser.awaitShown("#" + view + "-title");
    }

    private static void check(Browser browser, String view) {
        String pictures = System.getProperty(SCREENSHOTS);
        for (String theme : new String[] {"light", "dark"}) {
            browser.theme(theme);
            assertThat(browser.barriers()).as(view + ", " + theme).isEmpty();
            if (pictures != null) {
                browser.screenshotWhole(Path.of(pictures, "console-" + view + "-" + theme + ".png"));
            }
        }
    }

    /** A room with three members, some others, and an alert; answers the room. */
    private String seed() {
        Api ada = as("clinician-aaaa", "participant", TEAM);
        String done = create(ada, "morning-done", null);
        ada.close(done).assertStatus(200);
        for (int i = 1; i <= 3; i++) {
            Api person = as("clinician-dddd", "participant", "ward-" + i);
            String other = create(person, "ward-round-" + i, null, "ward-" + i);
            person.join(other).assertStatus(201);
        }
        String room = create(ada, "2026-11-30-night", "Night handover");
        for (String who : List.of("clinician-aaaa", "clinician-bbbb", "clinician-cccc")) {
            Api person = as(who, "participant", TEAM);
            person.join(room).assertStatus(201);
        }
        ada.media(room, session(room, "clinician-aaaa"), 1, "connected").assertStatus(204);
        as("clinician-bbbb", "participant", TEAM)
                .suspend(room, session(room, "clinician-bbbb"), 1)
                .assertStatus(200);
        Timestamp now =
                Timestamp.from(Instant.parse(operator().roster(room).json().getString("asOf")));
        store().update(
                        "INSERT INTO alert (id, group_id, room_id, kind, open_room, severity, version, clean_windows,"
                                + " room_state, active_leases, suspects, oldest_proof_seconds, last_transition,"
                                + " last_transition_at, opened_at, updated_at) VALUES ('al-1', 'g-1', ?,"
                                + " 'leases_without_media', ?, 'investigate', '5f0c2ab19d33', 0, 'open', 3, 0, 4,"
                                + " 'participant.joined', ?, ?, ?)",
                        room,
                        room,
                        now,
                        now,
                        now);
        return room;
    }

    private String session(String room, String participant) {
        return operator()
                .roster(room)
                .assertStatus(200)
                .json()
                .getJsonArray("entries")
                .getValuesAs(JsonObject.class)
                .stream()
                .filter(entry -> entry.getString("participant").equals(participant))
                .map(entry -> entry.getString("session"))
                .findFirst()
                .orElseThrow();
    }

    private static String create(Api person, String occurrence, @Nullable String label) {
        return create(person, occurrence, label, TEAM);
    }

    private static String create(Api person, String occurrence, @Nullable String label, String team) {
        JsonObjectBuilder room = Api.json()
                .add("team", team)
                .add("occurrence", occurrence)
                .add("policy", Api.json().add("heartbeatSeconds", 30).add("leaseSeconds", 120));
        if (label != null) {
            room.add("label", label);
        }
        return person.createRoom(occurrence, room).assertStatus(201).json().getString("id");
    }

    private Api operator() {
        return as("on-call", "operator", null);
    }

    private Api as(String subject, String group, @Nullable String team) {
        JsonArrayBuilder teams = Json.createArrayBuilder();
        if (team != null) {
            teams.add(team);
        }
        String token = Api.anonymous(node())
                .post(
                        "/demo/token",
                        Api.json()
                                .add("subject", subject)
                                .add("groups", Json.createArrayBuilder().add(group))
                                .add("teams", teams)
                                .build())
                .assertStatus(200)
                .json()
                .getString("token");
        return Api.of(node(), token);
    }
}
