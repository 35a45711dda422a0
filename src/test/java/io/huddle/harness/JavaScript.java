package io.huddle.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs tests that are written in JavaScript, by the Node.js of the machine; without one they are skipped. */
public final class JavaScript {
    private static final int LEAST_VERSION = 20;
    private static final Path TESTS = Path.of("src/test/js");

    private JavaScript() {}

    /**
     * Runs these files by {@code node --test}, and fails with what they printed if one of their tests does. Skips, saying
     * so in one line, where Node.js is missing or too old.
     *
     * @param environment what the tests are given beside the environment of this JVM
     * @param files below {@code src/test/js}
     * @return what they printed, in the TAP format
     */
    public static String test(Duration deadline, Map<String, String> environment, List<String> files) {
        skipWithoutNode();
        List<String> command = new ArrayList<>(List.of("node", "--test", "--test-reporter=tap"));
        for (String file : files) {
            if (!Files.isRegularFile(TESTS.resolve(file))) {
                throw new IllegalArgumentException("there is no test " + TESTS.resolve(file));
            }
            command.add(TESTS.resolve(file).toString());
        }
        Outcome outcome = run(command, environment, deadline);
        if (outcome.status() != 0) {
            throw new AssertionError(
                    "node --test " + files + " ended with " + outcome.status() + ":\n" + outcome.text());
        }
        return outcome.text();
    }

    /** Ends the test that runs as skipped, saying so in one line, where Node.js is missing or too old. */
    public static void skipWithoutNode() {
        boolean usable = version() >= LEAST_VERSION;
        if (!usable) {
            String line = "Skipped: needs Node.js " + LEAST_VERSION
                    + " or newer in the PATH; get it with 'apt-get install nodejs' or from nodejs.org.";
            System.out.println(line);
            Assumptions.abort(line);
        }
    }

    /** The major version; 0 where there is no Node.js. */
    private static int version() {
        try {
            String text = run(List.of("node", "--version"), Map.of(), Duration.ofSeconds(20))
                    .text()
                    .strip();
            return text.matches("v\\d+\\..*") ? Integer.parseInt(text.substring(1, text.indexOf('.'))) : 0;
        } catch (UncheckedIOException noNode) {
            return 0;
        }
    }

    private record Outcome(int status, String text) {}

    private static Outcome run(List<String> command, Map<String, String> environment, Duration deadline) {
        try {
            // A file, not a pipe: a full pipe would hold up the tests until somebody reads it.
            Path output = Files.createTempFile("javascript", ".log");
            try {
                ProcessBuilder builder =
                        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
                builder.environment().putAll(environment);
                Process process = builder.start();
                if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                    Processes.killTree(process.toHandle());
                    throw new AssertionError(
                            "%s did not end within %s:%n%s".formatted(command, deadline, Files.readString(output)));
                }
                return new Outcome(process.exitValue(), Files.readString(output));
            } finally {
                Files.delete(output);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw Processes.interrupted(interrupted);
        }
    }
}
