package io.huddle.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** axe, which finds what assistive technology cannot use, as a script for a page. */
final class Axe {
    static final String SCRIPT = script();

    /** Answers a line for each violation: rule, what it asks for, and the elements. */
    static final String RUN = """
            const done = arguments[arguments.length - 1];
            axe.run(document, { resultTypes: ['violations'] }).then(
              ({ violations }) => done(violations.map(({ id, help, nodes }) =>
                `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)),
              (error) => done([`axe failed: ${error.message}`]));""";

    private Axe() {}

    private static String script() {
        try (InputStream in = Axe.class.getResourceAsStream("/axe.min.js")) {
            if (in == null) {
                throw new IllegalStateException("axe.min.js is not on the class path of the tests");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
