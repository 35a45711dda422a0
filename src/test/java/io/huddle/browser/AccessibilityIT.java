package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The page for those who cannot see it well, or at all: no violation of axe's rules, in either theme. */
class AccessibilityIT extends BrowserNode {
    @Test
    void signInLobbyAndRoom_inBothThemes_haveNoBarriers() {
        try (Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            bob.go(page());
            signIn(bob, "clinician-bbbb");
            create(bob);
            bob.click("join");

            alice.go(page());
            alice.awaitShown("#signin-submit");
            check(alice, "sign-in");
            signIn(alice, "clinician-aaaa");
            alice.awaitShown(".room-link");
            check(alice, "lobby");
            create(alice);
            alice.awaitText("roster", "clinician-bbbb");
            check(alice, "room, watching");
            alice.click("join");
            alice.awaitText("roster", "Good sound");
            alice.awaitShown(".speaking");
            check(alice, "room, talking");
            alice.press("m");
            alice.awaitText("microphone-words", "Muted");
            check(alice, "room, muted");
            alice.click("leave");
            alice.awaitText("you", "You left");
            check(alice, "room, after leaving");
        }
    }

    private static void check(Browser browser, String view) {
        for (String theme : new String[] {"light", "dark"}) {
            browser.theme(theme);
            assertThat(browser.barriers()).as(view + ", " + theme).isEmpty();
        }
    }

    private static void signIn(Browser browser, String subject) {
        browser.type("subject", subject);
        browser.type("team", "ward-7");
        browser.click("signin-submit");
    }

    private static void create(Browser browser) {
        browser.type("occurrence", "standup-accessible");
        browser.click("create-submit");
        browser.awaitText("room-title", "standup-accessible");
    }
}
