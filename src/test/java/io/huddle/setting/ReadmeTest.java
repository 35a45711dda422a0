package io.huddle.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The README lists every setting as it is; whoever is on call believes that table. */
class ReadmeTest {
    private static final Pattern VARIABLE = Pattern.compile("<variable name=\"([^\"]+)\" defaultValue=\"([^\"]*)\"/>");

    /** Setting to default, bounds, unit and text. */
    private static final Map<String, List<String>> TABLE = new LinkedHashMap<>();

    @BeforeAll
    static void read() throws IOException {
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("| `") && line.split("\\|", -1).length == 7) {
                List<String> cells =
                        Stream.of(line.split("\\|")).map(String::strip).toList();
                TABLE.put(bare(cells.get(1)), cells.subList(2, cells.size()));
            }
        }
    }

    @Test
    void table_ofSettings_namesEachOneOnce() {
        Set<String> names = new TreeSet<>(Setting.TEXT);
        for (Setting setting : Setting.values()) {
            names.add(setting.key());
        }
        assertThat(TABLE.keySet().stream().filter(name -> name.startsWith("huddle.")))
                .containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void table_ofSettings_hasTheirDefaultsAndBounds() {
        for (Setting setting : Setting.values()) {
            List<String> cells = TABLE.getOrDefault(setting.key(), List.of("missing", "missing"));
            if (setting.isSwitch()) {
                assertThat(bare(cells.get(0))).as(setting.key()).isEqualTo(setting.byDefault() == 1 ? "true" : "false");
                assertThat(cells.get(1)).as(setting.key()).isEqualTo("`true`, `false`");
            } else {
                assertThat(cells.get(0)).as(setting.key()).isEqualTo(Integer.toString(setting.byDefault()));
                assertThat(cells.get(1)).as(setting.key()).isEqualTo(setting.least() + "–" + setting.most());
            }
        }
    }

    @Test
    void table_ofSettings_hasTheVariablesOfTheServer() throws IOException {
        Matcher variables = VARIABLE.matcher(Files.readString(Path.of("liberty/server.xml")));
        int found = 0;
        while (variables.find()) {
            String name = variables.group(1);
            assertThat(TABLE).containsKey(name);
            assertThat(bare(TABLE.getOrDefault(name, List.of("missing")).get(0)))
                    .as(name)
                    .isEqualTo(variables.group(2));
            found++;
        }
        assertThat(found).as("variables in server.xml").isGreaterThan(10);
    }

    private static String bare(String cell) {
        return cell.replace("`", "");
    }
}
