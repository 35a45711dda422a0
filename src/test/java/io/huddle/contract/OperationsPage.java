package io.huddle.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tables of metrics in the page on operations: what people on call look up. */
final class OperationsPage {
    private static final Path PAGE = Path.of("src/docs/operations.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `(huddle_\\w+)` \\| ([^|]+)\\|([^|]*)\\|([^|]+)\\|([^|]+)\\|");
    private static final Pattern CODE = Pattern.compile("`(\\w+)`");

    private OperationsPage() {}

    /** @param kind {@code counter}, {@code gauge} or {@code histogram}, with {@code cluster} or {@code later} behind it */
    record Row(String kind, Set<String> labels, String unit, String meaning) {
        boolean isCluster() {
            return kind.endsWith(", cluster");
        }

        boolean isLater() {
            return kind.endsWith(", later");
        }

        String bareKind() {
            return kind.replaceFirst(",.*", "");
        }
    }

    static Map<String, Row> metrics() {
        Map<String, Row> rows = new TreeMap<>();
        try {
            for (String line : Files.readAllLines(PAGE)) {
                Matcher row = ROW.matcher(line);
                if (row.matches()) {
                    Set<String> labels = CODE.matcher(row.group(3))
                            .results()
                            .map(code -> code.group(1))
                            .collect(Collectors.toCollection(TreeSet::new));
                    Row before = rows.put(
                            row.group(1),
                            new Row(
                                    row.group(2).strip(),
                                    labels,
                                    row.group(4).strip(),
                                    row.group(5).strip()));
                    if (before != null) {
                        throw new IllegalStateException(row.group(1) + " has two rows in " + PAGE);
                    }
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return rows;
    }
}
