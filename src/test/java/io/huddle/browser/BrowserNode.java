package io.huddle.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.huddle.harness.Node;
import io.huddle.harness.Store;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A node on the embedded default for the tests of one class, where there is a browser; elsewhere one line says how to get it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserNode {
    private @Nullable Node node;
    private @Nullable Store store;

    @BeforeAll
    void start(@TempDir Path folder) {
        String name = getClass().getSimpleName();
        if (!Browser.isThere()) {
            System.out.println(name + " " + Browser.HOW_TO_GET_IT);
        }
        assumeTrue(Browser.isThere(), Browser.HOW_TO_GET_IT);
        Store embedded = Store.h2(folder);
        store = embedded;
        node = Node.start(name, embedded.env(), Map.of("HUDDLE_DEMO", "true")).awaitReady();
    }

    @AfterAll
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    Node node() {
        return Objects.requireNonNull(node);
    }

    /** The node's database, to look into and to put into while it runs. */
    Store store() {
        return Objects.requireNonNull(store);
    }

    URI page() {
        return node().uri("/");
    }
}
