package io.huddle.monitoring;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** The rules and the dashboard as they are shipped, and what their queries name. Pure, but for reading the files. */
public final class Rules {
    public static final Path FOLDER = Path.of("src/monitoring");
    static final Path RUNBOOKS = Path.of("src/docs/runbooks");
    private static final List<Path> FILES =
            List.of(FOLDER.resolve("huddle-recording.yml"), FOLDER.resolve("huddle-alerts.yml"));
    private static final Path DASHBOARD = FOLDER.resolve("grafana/huddle.json");
    private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern ASKED = Pattern.compile("--data-urlencode 'query=([^']+)'");
    private static final Pattern NAME = Pattern.compile("\\b(huddle[_:][A-Za-z0-9_:]+|up|ALERTS)\\b");

    /**
     * A rule.
     *
     * @param alert whether it alerts; the others record
     */
    public record Rule(
            boolean alert, String name, String expr, Map<String, String> labels, Map<String, String> annotations) {}

    private Rules() {}

    /** The files, in the order in which a Prometheus reads them. */
    public static List<Path> files() {
        return FILES;
    }

    /** Every rule of every file. */
    public static List<Rule> all() {
        List<Rule> rules = new ArrayList<>();
        for (Path file : FILES) {
            for (Map<?, ?> group : maps(map(read(file)), "groups")) {
                maps(group, "rules").forEach(rule -> rules.add(rule(rule)));
            }
        }
        return List.copyOf(rules);
    }

    public static List<Rule> alerts() {
        return all().stream().filter(Rule::alert).toList();
    }

    /** Every query of the dashboard, by panel, as Grafana would send it: its variables filled in. */
    public static Map<String, String> dashboard() {
        Map<String, String> queries = new TreeMap<>();
        JsonObject dashboard = dashboardFile();
        for (JsonObject panel : objects(dashboard.getJsonArray("panels"))) {
            if (panel.containsKey("targets")) {
                for (JsonObject target : objects(panel.getJsonArray("targets"))) {
                    queries.put(
                            panel.getString("title") + ", " + target.getString("refId"),
                            target.getString("expr").replace("$__rate_interval", "1m"));
                }
            }
        }
        JsonArray annotations = dashboard.getJsonObject("annotations").getJsonArray("list");
        objects(annotations).forEach(one -> queries.put("annotation " + one.getString("name"), one.getString("expr")));
        return queries;
    }

    /** Every query of a runbook, by page and number. */
    public static Map<String, String> runbooks() {
        Map<String, String> queries = new TreeMap<>();
        try (Stream<Path> files = Files.list(RUNBOOKS)) {
            for (Path file : files.toList()) {
                ASKED.matcher(Files.readString(file))
                        .results()
                        .forEach(match -> queries.put(file.getFileName() + ", " + match.start(), match.group(1)));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return queries;
    }

    /** Every query there is, by where it stands. */
    public static Map<String, String> queries() {
        Map<String, String> queries = new LinkedHashMap<>();
        all().forEach(rule -> queries.put(rule.name(), rule.expr()));
        queries.putAll(dashboard());
        queries.putAll(runbooks());
        return queries;
    }

    static JsonObject dashboardFile() {
        try (Reader text = Files.newBufferedReader(DASHBOARD);
                JsonReader json = Json.createReader(text)) {
            return json.readObject();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The metrics that a query names; what stands in quotes is none. */
    public static Set<String> metrics(String query) {
        Set<String> names = new TreeSet<>();
        NAME.matcher(TEXT.matcher(query).replaceAll("\"\"")).results().forEach(match -> names.add(match.group(1)));
        return names;
    }

    private static Rule rule(Map<?, ?> rule) {
        boolean alert = rule.containsKey("alert");
        return new Rule(
                alert,
                String.valueOf(rule.get(alert ? "alert" : "record")),
                String.valueOf(rule.get("expr")),
                texts(rule.get("labels")),
                texts(rule.get("annotations")));
    }

    private static Object read(Path file) {
        try (Reader text = Files.newBufferedReader(file)) {
            return new Yaml().load(text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static List<Map<?, ?>> maps(Map<?, ?> in, String key) {
        List<Map<?, ?>> maps = new ArrayList<>();
        if (in.get(key) instanceof List<?> list) {
            list.forEach(one -> maps.add(map(one)));
        }
        return maps;
    }

    private static Map<?, ?> map(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new IllegalArgumentException("a mapping was expected but there is " + value);
    }

    private static Map<String, String> texts(@Nullable Object value) {
        Map<String, String> texts = new TreeMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, text) -> texts.put(String.valueOf(key), String.valueOf(text)));
        }
        return texts;
    }

    private static List<JsonObject> objects(JsonArray array) {
        return array.getValuesAs(JsonObject.class);
    }
}
