package io.huddle.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.huddle.harness.Node;
import io.huddle.harness.Store;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page for those who cannot see it well, or at all: no violation of axe's rules, in either theme. */
class AccessibilityIT {
    private static @Nullable Node node;

    @BeforeAll
    static void start(@TempDir Path folder) {
        if (!Browser.isThere()) {
            System.out.println("AccessibilityIT " + Browser.HOW_TO_GET_IT);
        }
        assumeTrue(Browser.isThere(), Browser.HOW_TO_GET_IT);
        node = Node.start("accessible", Store.h2(folder).env(), Map.of("HUDDLE_DEMO", "true"))
                .awaitReady();
    }

    @AfterAll
    static void stop() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void signInLobbyAndRoom_inBothThemes_haveNoBarriers() {
        try (Browser alice = Browser.talking();
                Browser bob = Browser.talking()) {
            bob.go(java.util.Objects.requireNonNull(node).uri("/"));
            signIn(bob, "clinician-bbbb");
            create(bob);
            bob.click("join");

            alice.go(java.util.Objects.requireNonNull(node).uri("/"));
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
