package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Two people in two browsers hold a huddle on the embedded default. */
class PageIT extends BrowserNode {
    @Test
    void twoPeople_createJoinDropRejoinAndClose_seeTheSameRoster() {
        try (Browser alice = Browser.open();
                Browser bob = Browser.open()) {
            signIn(alice, "clinician-aaaa");
            create(alice, "standup-monday");
            alice.awaitText("status", "Live");

            signIn(bob, "clinician-bbbb");
            create(bob, "standup-monday");
            assertThat(bob.query())
                    .as("the second creator lands in the first one's room")
                    .isEqualTo(alice.query());

            alice.click("join");
            bob.awaitText("roster", "clinician-aaaa");
            bob.click("join");
            alice.awaitText("roster", "clinician-bbbb");
            alice.screenshot("huddle");

            alice.click("suspend");
            bob.awaitText("roster", "suspended");
            alice.click("suspend");
            bob.awaitNoText("roster", "suspended");

            alice.click("drop");
            bob.awaitText("roster", "suspect");
            bob.awaitNoText("roster", "clinician-aaaa");
            alice.awaitText("you", "lease ran out");
            alice.click("join");
            bob.awaitText("roster", "clinician-aaaa");
            bob.awaitText("roster", "generation 2");

            bob.click("leave");
            alice.awaitNoText("roster", "clinician-bbbb");

            alice.click("close");
            alice.clickIn("dialog .solid");
            bob.awaitText("status", "closed");
            bob.screenshot("closed");
            assertThat(alice.complaints()).isEmpty();
            assertThat(bob.complaints()).isEmpty();
        }
    }

    @Test
    void participantOnASecondDevice_takesTheSessionOver_andTheFirstIsTold() {
        try (Browser laptop = Browser.open();
                Browser phone = Browser.open()) {
            signIn(laptop, "clinician-cccc");
            create(laptop, "standup-tuesday");
            laptop.click("join");
            laptop.awaitText("you", "generation 1");
            signIn(phone, "clinician-cccc");
            create(phone, "standup-tuesday");
            phone.click("join");
            phone.awaitText("you", "generation 2");
            laptop.awaitText("you", "took over");
            assertThat(phone.text("you")).contains("Present");
        }
    }

    /** The server's first answer, which the test gives; what is asked afterwards goes its way. */
    private static final String HELD = """
            const real = window.fetch;
            window.fetch = (target, ...rest) => {
              if (target !== '/session/token' || window.released) return real(target, ...rest);
              return new Promise((_, reject) => { window.refuse = () => reject(new TypeError('no network')); });
            };""";

    /** A server that had just started left the page with its heading and nothing else until it answered. */
    @Test
    void server_thatDoesNotAnswerYet_isSaidToBeWaitedFor_andIsAskedAgain() {
        try (Browser browser = Browser.open()) {
            browser.before(HELD);
            browser.go(page());
            browser.awaitText("waiting", "Waiting for the server");
            browser.awaitTextIn("#announcer", "Waiting for the server");
            assertThat(browser.barriers()).isEmpty();

            browser.script("window.refuse()");
            browser.awaitText("no-answer", "The server cannot be reached.");
            assertThat(browser.text("no-answer")).contains("Try again in a moment");
            assertThat(browser.shows("#waiting")).isFalse();
            assertThat(browser.shows("#organisation")).isFalse();
            assertThat(browser.barriers()).isEmpty();

            browser.script("window.released = true");
            browser.tabTo("#ask-again");
            browser.keys(Keys.ENTER);
            browser.awaitShown("#signin-submit");
            assertThat(browser.shows("#no-answer")).isFalse();
            assertThat(browser.isFocused("#signin-title")).isTrue();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private void signIn(Browser browser, String subject) {
        browser.go(page());
        browser.type("subject", subject);
        browser.type("team", "ward-7");
        browser.click("signin-submit");
    }

    private static void create(Browser browser, String occurrence) {
        browser.type("occurrence", occurrence);
        browser.click("create-submit");
        browser.awaitText("room-title", occurrence);
    }
}
