package io.huddle.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The step that finds a ghost on a roster asked the answer for {@code entries}, which it does not have, and printed nothing; a filter
 * of jq says no word about that. What a runbook calls, and what it reads from the answer, is in the description of the API.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunbookCallsTest {
    private static final Path API = Path.of("src/main/resources/META-INF/openapi.yaml");
    private static final Pattern CALL = Pattern.compile("(?m)^ *(?:HUDDLE=\\S+ )?api ['\"]?(/[^'\"\\s]+)['\"]?(.*)$");
    private static final Pattern METHOD = Pattern.compile("-X ([A-Z]+)");
    private static final Pattern FILTER = Pattern.compile("\\| jq (?:-\\w+ )*(?:'([^']+)'|(\\S+))");
    private static final Pattern FIELD = Pattern.compile("\\.([A-Za-z]+)");

    /** A call as it is printed; the filter is empty where the answer is printed as it is. */
    record Call(String page, String method, String path, Set<String> query, String filter) {}

    private Map<?, ?> api = Map.of();

    @BeforeAll
    void readTheDescription() throws IOException {
        try (Reader text = Files.newBufferedReader(API)) {
            api = new Yaml().load(text);
        }
    }

    static List<Call> calls() throws IOException {
        List<Call> calls = new ArrayList<>();
        try (Stream<Path> files = Files.list(Rules.RUNBOOKS)) {
            for (Path file : files.sorted().toList()) {
                String text = Files.readString(file).replace("\\\n", " ");
                CALL.matcher(text)
                        .results()
                        .forEach(match ->
                                calls.add(call(String.valueOf(file.getFileName()), match.group(1), match.group(2))));
            }
        }
        return calls;
    }

    @Test
    void calls_areFound() throws IOException {
        assertThat(calls()).hasSizeGreaterThan(60);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void call_isOneOfTheApi_andReadsWhatTheAnswerHas(Call call) {
        Map<?, ?> path = path(call.path());
        assertThat(path).as("%s: %s", call.page(), call.path()).isNotEmpty();
        Map<?, ?> operation = map(path.get(call.method()));
        assertThat(operation).as("%s: %s", call.page(), call.path()).isNotEmpty();

        Set<String> parameters = Stream.of(path, operation)
                .flatMap(one -> list(one.get("parameters")).stream())
                .map(one -> String.valueOf(resolved(one).get("name")))
                .collect(Collectors.toSet());
        assertThat(parameters).as("%s: %s", call.page(), call.path()).containsAll(call.query());

        Set<String> fields = new TreeSet<>();
        map(operation.get("responses")).forEach((status, answer) -> {
            if (String.valueOf(status).startsWith("2")) {
                collect(map(map(resolved(answer).get("content")).get("application/json")), fields, new HashSet<>());
            }
        });
        Set<String> read = FIELD.matcher(call.filter())
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
        assertThat(fields).as("%s: %s", call.page(), call.filter()).containsAll(read);
    }

    private static Call call(String page, String target, String rest) {
        String[] parts = target.split("\\?", 2);
        Set<String> query = parts.length == 1
                ? Set.of()
                : Stream.of(parts[1].split("&", -1))
                        .map(one -> one.replaceFirst("=.*", ""))
                        .collect(Collectors.toSet());
        String method = METHOD.matcher(rest)
                .results()
                .map(match -> match.group(1))
                .findFirst()
                .orElse("GET");
        String filter = FILTER.matcher(rest)
                .results()
                .map(match -> match.group(1) == null ? match.group(2) : match.group(1))
                .findFirst()
                .orElse("");
        return new Call(page, method.toLowerCase(Locale.ROOT), parts[0], query, filter);
    }

    /** The path of the description that a printed one is an example of: a variable of the shell stands for a parameter. */
    private Map<?, ?> path(String printed) {
        return map(api.get("paths")).entrySet().stream()
                .filter(one -> String.valueOf(one.getKey())
                        .replaceAll("\\{\\w+}", "\\$")
                        .equals(printed.replaceAll("\\$\\w+", "\\$")))
                .<Map<?, ?>>map(one -> map(one.getValue()))
                .findFirst()
                .orElse(Map.of());
    }

    /** The names of all properties below, through references. */
    private void collect(@Nullable Object node, Set<String> fields, Set<Object> seen) {
        if (node instanceof List<?> several) {
            several.forEach(one -> collect(one, fields, seen));
        } else if (node instanceof Map<?, ?> one && (one.get("$ref") == null || seen.add(one.get("$ref")))) {
            Map<?, ?> target = resolved(one);
            map(target.get("properties")).forEach((name, schema) -> {
                fields.add(String.valueOf(name));
                collect(schema, fields, seen);
            });
            Stream.of("schema", "items", "allOf", "oneOf", "anyOf")
                    .forEach(key -> collect(target.get(key), fields, seen));
        }
    }

    private Map<?, ?> resolved(@Nullable Object node) {
        Map<?, ?> found = map(node);
        if (found.get("$ref") instanceof String reference) {
            found = api;
            for (String step : reference.substring("#/".length()).split("/", -1)) {
                found = map(found.get(step));
            }
        }
        return found;
    }

    private static Map<?, ?> map(@Nullable Object node) {
        return node instanceof Map<?, ?> found ? found : Map.of();
    }

    private static List<?> list(@Nullable Object node) {
        return node instanceof List<?> found ? found : List.of();
    }
}
