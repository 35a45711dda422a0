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
import java.util.Locale;
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

    /** The cells of all rows of the tables whose last column is what shows the rest. */
    private static final List<List<String>> ROWS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Path.of("src/docs/mesh.md"));
        boolean isShown = false;
        for (String line : page.lines().toList()) {
            List<String> cells = Pattern.compile("\\|")
                    .splitAsStream(line)
                    .skip(1)
                    .map(String::strip)
                    .toList();
            if (cells.isEmpty()) {
                isShown = false;
            } else if (cells.get(cells.size() - 1).equals("shown by")) {
                isShown = true;
            } else if (isShown && !line.startsWith("| ---")) {
                ROWS.add(cells);
            }
        }
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
        assertThat(ROWS).hasSizeGreaterThan(300);
        for (List<String> row : ROWS) {
            assertThat(row).hasSize(3);
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
                int start = api.indexOf(path) + path.length();
                int end = api.indexOf("\n  /", start);
                String operations = api.substring(start - 1, end < 0 ? api.length() : end);
                assertThat(operations)
                        .as(code)
                        .contains("\n    " + call.group(1).toLowerCase(Locale.ROOT) + ":\n");
                calls.add(code);
            }
        }
        assertThat(calls).isNotEmpty();
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
