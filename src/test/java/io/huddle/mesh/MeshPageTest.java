package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.setting.Setting;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page on the mesh names classes, methods, calls and settings that exist, and for each rule a test or its want. */
class MeshPageTest {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern REFERENCE = Pattern.compile("([a-z]+\\.[A-Z]\\w*)(?:#(\\w+))?");
    private static final Pattern CALL = Pattern.compile("(GET|POST|PUT|PATCH|DELETE) (/[^?]*)(\\?.*)?");
    private static final Pattern NUMBER = Pattern.compile("[A-Z]\\d+");

    private static String page = "";

    /** The cells of all rows of tables of three columns: where something is, or a rule, and what shows it. */
    private static final List<List<String>> ROWS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Path.of("src/docs/mesh.md"));
        page.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| ---"))
                .map(line ->
                        Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
                .filter(cells -> cells.size() == 3)
                .forEach(ROWS::add);
    }

    @Test
    void classesAndMethods_named_exist() {
        Set<String> missing = new TreeSet<>();
        int found = 0;
        for (String code : codes(page)) {
            Matcher reference = REFERENCE.matcher(code);
            if (reference.matches()) {
                found++;
                String method = reference.group(2);
                if (!isThere(reference.group(1), method)) {
                    missing.add(code);
                }
            }
        }
        assertThat(missing).isEmpty();
        assertThat(found).as("classes and methods named").isGreaterThan(300);
    }

    @Test
    void row_each_isShownByATestOrSaysWhyNot() {
        List<List<String>> rules = rows();
        assertThat(rules).hasSizeGreaterThan(300);
        for (List<String> row : rules) {
            String shown = row.get(2);
            boolean isReason = shown.startsWith("does not apply: ") || shown.startsWith("open: ");
            if (!isReason) {
                assertThat(codes(shown)).as("%s", row).isNotEmpty().allMatch(MeshPageTest::isTest, "a test");
            }
        }
    }

    @Test
    void numbers_ofRules_areDistinctAndInTheirOrder() {
        List<String> numbers = ROWS.stream()
                .map(row -> row.get(0))
                .filter(first -> NUMBER.matcher(first).matches())
                .toList();
        assertThat(numbers).hasSizeGreaterThan(250).doesNotHaveDuplicates();
        String letter = "";
        int last = 0;
        for (String number : numbers) {
            int next = Integer.parseInt(number.substring(1));
            assertThat(next).as(number).isEqualTo(number.startsWith(letter) && last > 0 ? last + 1 : 1);
            letter = number.substring(0, 1);
            last = next;
        }
    }

    @Test
    void settings_named_exist() {
        Set<String> all = new TreeSet<>(Setting.TEXT);
        Stream.of(Setting.values()).map(Setting::key).forEach(all::add);
        assertThat(all)
                .containsAll(codes(page).stream()
                        .filter(code -> code.startsWith("huddle."))
                        .collect(Collectors.toSet()));
    }

    @Test
    void calls_named_areInTheDescriptionOfTheApi() throws IOException {
        String api = Files.readString(Path.of("src/main/resources/META-INF/openapi.yaml"));
        List<String> calls = new ArrayList<>();
        for (String code : codes(page)) {
            Matcher call = CALL.matcher(code);
            if (call.matches()) {
                String path = "\n  " + call.group(2) + ":\n";
                assertThat(api).as(code).contains(path);
                String operations =
                        api.substring(api.indexOf(path) + path.length()).split("\n  /", 2)[0];
                assertThat(operations)
                        .as(code)
                        .contains("\n    " + call.group(1).toLowerCase(java.util.Locale.ROOT) + ":\n");
                calls.add(code);
            }
        }
        assertThat(calls).isNotEmpty();
    }

    private static List<List<String>> rows() {
        return ROWS.stream()
                .filter(row -> page.contains("| " + row.get(0) + " | "))
                .filter(row -> row.get(2).contains("#")
                        || row.get(2).startsWith("does not apply")
                        || row.get(2).startsWith("open")
                        || NUMBER.matcher(row.get(0)).matches())
                .toList();
    }

    private static List<String> codes(String text) {
        return CODE.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static boolean isTest(String code) {
        Matcher reference = REFERENCE.matcher(code);
        return reference.matches()
                && methods(reference.group(1)).stream()
                        .filter(method -> method.getName().equals(reference.group(2)))
                        .anyMatch(method -> Arrays.stream(method.getAnnotations())
                                .anyMatch(annotation ->
                                        annotation.annotationType().getName().startsWith("org.junit.jupiter.")));
    }

    private static boolean isThere(String name, String method) {
        List<Method> all = methods(name);
        return method == null
                ? !all.isEmpty()
                : all.stream().anyMatch(each -> each.getName().equals(method));
    }

    /** Those of the class or interface itself; none if there is none of this name. */
    private static List<Method> methods(String name) {
        try {
            return List.of(Class.forName("io.huddle." + name, false, MeshPageTest.class.getClassLoader())
                    .getDeclaredMethods());
        } catch (ClassNotFoundException none) {
            return List.of();
        }
    }
}
