package io.huddle.harness;

import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A Prometheus of the machine that scrapes one node each second and runs the given rules. Closed by the test that started
 * it; ended with the JVM otherwise. Methods are for one thread at a time.
 */
public final class Prometheus implements AutoCloseable {
    private static final String HOW_TO_GET_IT = "skipped: no prometheus with promtool; apt-get install prometheus";
    private static final Duration START_DEADLINE = Duration.ofSeconds(30);

    private final Process process;
    private final Api api;

    private Prometheus(Process process, int port) {
        this.process = process;
        this.api = Api.at(URI.create("http://localhost:" + port + "/api/v1"));
    }

    /** Ends the test that runs as skipped, saying so in one line, where there is none. */
    public static void skipWithoutIt() {
        if (program("prometheus").isEmpty() || program("promtool").isEmpty()) {
            System.out.println("Prometheus " + HOW_TO_GET_IT);
            Assumptions.abort(HOW_TO_GET_IT);
        }
    }

    /**
     * Starts one and waits until it has scraped the node.
     *
     * @param folder an empty one, for its configuration and data
     * @param rules files of rules, evaluated each second whatever interval they name
     */
    public static Prometheus scraping(Path folder, Node node, List<Path> rules) {
        int port = Ports.free();
        try {
            StringBuilder names = new StringBuilder();
            for (Path file : rules) {
                Path copy = folder.resolve(file.getFileName());
                // A group waits up to its whole interval for its first evaluation.
                Files.writeString(copy, Files.readString(file).replaceAll("(?m)^( +interval:) .*$", "$1 1s"));
                names.append("  - ").append(copy).append('\n');
            }
            Path config = folder.resolve("prometheus.yml");
            Files.writeString(config, """
                    global:
                      scrape_interval: 1s
                      evaluation_interval: 1s
                    rule_files:
                    %sscrape_configs:
                      - job_name: huddle
                        static_configs:
                          - targets: ['localhost:%d']
                    """.formatted(names, node.port()));
            Process process = new ProcessBuilder(
                            program("prometheus").orElseThrow().toString(),
                            "--config.file=" + config,
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=127.0.0.1:" + port,
                            "--log.level=warn")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("prometheus.log").toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Processes.destroyTree(process.toHandle())));
            Prometheus prometheus = new Prometheus(process, port);
            prometheus.awaitScrape(folder.resolve("prometheus.log"));
            return prometheus;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Runs promtool of the machine and answers what it said; fails with that if it says no. */
    public static String promtool(List<String> arguments) {
        List<String> command =
                new ArrayList<>(List.of(program("promtool").orElseThrow().toString()));
        command.addAll(arguments);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(String.join(" ", command) + ":\n" + said);
            }
            return said;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw Processes.interrupted(interrupted);
        }
    }

    /** What it answers to an instant query; a refusal of the query is an answer, too. */
    public JsonObject query(String query) {
        return api.get("/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                .json();
    }

    /** What is below this path of its API: {@code /rules}. */
    public JsonObject get(String path) {
        return api.get(path).assertStatus(200).json();
    }

    @Override
    public void close() {
        Processes.killTree(process.toHandle());
    }

    private void awaitScrape(Path log) {
        Awaiting.until(START_DEADLINE, "a scrape by Prometheus", () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("Prometheus ended:\n" + Files.readString(log));
            }
            return isListening()
                    && !query("up == 1")
                            .getJsonObject("data")
                            .getJsonArray("result")
                            .isEmpty();
        });
    }

    private boolean isListening() {
        try {
            return api.atRoot().get("/-/ready").status() == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    private static Optional<Path> program(String name) {
        return Stream.of("/usr/bin", "/usr/local/bin")
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
