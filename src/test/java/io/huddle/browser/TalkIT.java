package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.TcpProxy;
import jakarta.json.Json;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two people in two browsers talk, also over a network that fails. */
class TalkIT extends BrowserNode {
    /** Where the picture of the README is written to, if this property says so. */
    private static final String SCREENSHOT = "huddle.screenshot";

    private static final String ALICE = "clinician-aaaa";
    private static final String BOB = "clinician-bbbb";
    private static final Duration FAULT = Duration.ofSeconds(4);
    private static final Duration LEASE = Duration.ofSeconds(15);

    @Test
    void twoPeople_whoJoin_hearEachOther_andSeeWhoSpeaks() {
        try (Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            meet(alice, bob, "standup-talk");
            alice.awaitText("microphone-words", "The others hear you");
            alice.awaitShown("#roster [data-speaking='true'] .speaking");
            bob.awaitShown("#roster [data-speaking='true'] .speaking");
            bob.awaitText("roster", "Good sound");

            bob.press("m");
            bob.awaitText("microphone-words", "nobody hears you");
            alice.awaitGone(speaking(BOB));
            alice.awaitText("roster", "Good sound");
            bob.awaitShown(speaking(ALICE));
            bob.screenshot("talk");
            String wanted = System.getProperty(SCREENSHOT);
            if (wanted != null) {
                bob.theme("light");
                bob.screenshotOf(speaking(ALICE), Path.of(wanted));
            }

            bob.click("mute");
            bob.awaitText("microphone-words", "The others hear you");
            alice.awaitShown(speaking(BOB));

            alice.click("leave");
            bob.awaitNoText("roster", ALICE);
            Awaiting.until("bob's connection is gone", () -> bob.connections() == 0);
            assertThat(alice.complaints()).isEmpty();
            assertThat(bob.complaints()).isEmpty();
        }
    }

    @Test
    void participantWithoutAMicrophone_isTold_andHearsTheOthers() {
        try (Browser alice = Browser.open();
                Browser bob = Browser.talking()) {
            join(alice, page(), ALICE, "standup-listen");
            join(bob, page(), BOB, "standup-listen");
            alice.awaitText("microphone-words", "listening only: there is no microphone");
            alice.awaitSound("whoever only listens");
            alice.awaitShown(speaking(BOB));
            bob.awaitText("roster", "Listening only");
        }
    }

    /** A lift, a tunnel, another access point: the network is gone for some seconds and nobody should notice much. */
    @Test
    void participantOfflineForFourSeconds_isTheSameSessionAgain_neverAbsentAndNeverTwice() {
        try (TcpProxy network = TcpProxy.to(node().port());
                Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            join(alice, through(network), ALICE, "standup-lift");
            join(bob, page(), BOB, "standup-lift");
            alice.awaitSound("alice before the fault");
            bob.awaitSound("bob before the fault");
            String session = alice.session(ALICE);
            bob.watchRoster();

            long cut = System.nanoTime();
            takeAway(network, alice);
            bob.awaitText("roster", "suspect");
            bob.awaitSilence();
            long left = Math.max(1, FAULT.toNanos() - (System.nanoTime() - cut));
            Awaiting.holds(
                    Duration.ofNanos(left),
                    "bob still sees alice",
                    () -> bob.text("roster").contains(ALICE));
            giveBack(network, alice);

            alice.awaitText("you", "generation 2");
            alice.awaitNoText("you", "Reconnecting");
            bob.awaitText("timeline", "reconnected");
            bob.awaitText("roster", "generation 2");
            alice.awaitSound("alice after the fault");
            bob.awaitSound("bob after the fault");
            assertThat(alice.session(ALICE)).isEqualTo(session);
            assertThat(bob.session(ALICE)).isEqualTo(session);
            assertThat(bob.rosters())
                    .allSatisfy(roster -> assertThat(names(roster)).containsExactlyInAnyOrder(ALICE, BOB));
            assertThat(bob.text("timeline")).doesNotContain("is out").doesNotContain("left");
        }
    }

    @Test
    void participantOfflineForLongerThanTheLease_isAbsentOnce_andBackByItself() {
        try (TcpProxy network = TcpProxy.to(node().port());
                Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            join(alice, through(network), ALICE, "standup-tunnel");
            join(bob, page(), BOB, "standup-tunnel");
            bob.awaitSound("bob before the fault");
            bob.watchRoster();

            takeAway(network, alice);
            Awaiting.until(
                    LEASE.plus(Awaiting.PATIENCE),
                    "alice is out",
                    () -> bob.text("timeline").contains("is out"));
            bob.awaitNoText("roster", ALICE);
            giveBack(network, alice);

            alice.awaitText("you", "You are back");
            bob.awaitText("roster", ALICE);
            bob.awaitText("roster", "generation 2");
            alice.awaitSound("alice after the fault");
            bob.awaitSound("bob after the fault");
            assertThat(bob.rosters())
                    .allSatisfy(roster -> assertThat(names(roster)).doesNotHaveDuplicates());
            assertThat(bob.rosters().stream().filter(roster -> !names(roster).contains(ALICE)))
                    .as("absent once")
                    .hasSize(1);
            assertThat(bob.text("timeline").split("is out", -1)).hasSize(2);
        }
    }

    @Test
    void participantRemovedByAnOperator_isTold_andMayRejoin() {
        try (Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            meet(alice, bob, "standup-removed");
            String session = alice.session(ALICE);

            operator()
                    .with("Huddle-Reason", "wrong room")
                    .post(
                            "/admin/sessions/" + session + "/remove",
                            Api.json().add("generation", 1).build())
                    .assertStatus(204);

            alice.awaitText("you", "You were removed by an operator. You can rejoin.");
            bob.awaitNoText("roster", ALICE);
            alice.click("join");
            alice.awaitText("you", "Present as generation 2");
            bob.awaitText("roster", ALICE);
            alice.awaitSound("alice, back again");
            bob.awaitSound("bob, with alice back again");
        }
    }

    /** Connections are reset, and whatever the browser sends or would get, audio too, goes nowhere. */
    private static void takeAway(TcpProxy network, Browser browser) {
        browser.freezeNetwork();
        network.cut();
    }

    private static void giveBack(TcpProxy network, Browser browser) {
        network.mend();
        browser.thawNetwork();
    }

    private Api operator() {
        Api anybody = Api.anonymous(node());
        String token = anybody.post(
                        "/demo/token",
                        Api.json()
                                .add("subject", "on-call-1")
                                .add("groups", Json.createArrayBuilder().add("operator"))
                                .add("teams", Json.createArrayBuilder())
                                .build())
                .assertStatus(200)
                .json()
                .getString("token");
        return Api.of(node(), token);
    }

    private void meet(Browser alice, Browser bob, String occurrence) {
        join(alice, page(), ALICE, occurrence);
        join(bob, page(), BOB, occurrence);
        alice.awaitSound("alice");
        bob.awaitSound("bob");
    }

    private static void join(Browser browser, URI address, String subject, String occurrence) {
        browser.go(address);
        browser.type("subject", subject);
        browser.type("team", "ward-7");
        browser.click("signin-submit");
        browser.type("occurrence", occurrence);
        browser.click("create-submit");
        browser.awaitText("room-title", occurrence);
        browser.click("join");
        browser.awaitText("you", "Present");
    }

    private URI through(TcpProxy network) {
        return URI.create("http://localhost:" + network.port() + "/");
    }

    private static String speaking(String name) {
        return "#roster li[data-name='" + name + "'] .speaking";
    }

    private static List<String> names(String roster) {
        return roster.isBlank() ? List.of() : List.of(roster.split(" ", -1));
    }
}
