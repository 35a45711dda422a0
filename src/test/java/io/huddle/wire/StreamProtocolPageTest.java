package io.huddle.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.huddle.setting.Setting;
import io.huddle.stream.CloseCause;
import io.huddle.web.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the page on the stream's protocol shows and lists is what the wire has. */
class StreamProtocolPageTest {
    private static final Pattern BLOCK =
            Pattern.compile("^```([^\\n]*)\\n(.*?)\\n```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern METHOD = Pattern.compile("^\\| `([ud][A-Za-z]+)` \\| (\\d{3}) \\|", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^\\| ([1-4]\\d{3})\\b[^|]*\\|", Pattern.MULTILINE);

    private static final Pattern SETTING = Pattern.compile("`(huddle\\.[a-z]+\\.[a-z-]+)`");
    private static final Pattern LIMIT = Pattern.compile(
            "^\\|[^|]*\\| (?:up to )?([0-9,]+)(?: (bytes|KiB|MiB|s))?(?: each)? \\| `(huddle\\.[a-z.-]+)` \\|",
            Pattern.MULTILINE);
    private static final Pattern ERROR =
            Pattern.compile("^\\| (`[a-z-]+(?:: …)?`(?:, `[a-z-]+`)*) \\|", Pattern.MULTILINE);

    /** Settings that no client feels. */
    private static final Set<String> INTERNAL = Set.of("huddle.stream.traffic-log", "huddle.stream.traffic-bodies");

    /** Errors that only the stream has. */
    private static final Set<String> OF_THE_STREAM = Set.of("unknown-method", "owner-unavailable");

    private static String page = "";

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(Path.of("src/docs/stream-protocol.md"));
    }

    @Test
    void examples_readStrictly_areMessagesAndShowEveryBody() {
        for (Codec codec : Codec.values()) {
            Set<String> shown = new TreeSet<>();
            for (String example : blocks("json " + codec.name().toLowerCase(java.util.Locale.ROOT))) {
                shown.add(Codec.body(codec.read(example)));
            }
            Set<String> wanted = new TreeSet<>(codec.bodies());
            // Both directions send these alike; the page shows them once.
            wanted.removeAll(Set.of("pingPong", "requestAck", "byteStreamOperation"));
            assertThat(shown).as("examples of %s", codec).containsAll(wanted);
        }
        assertThat(page).contains("\"pingPong\":{}", "\"requestAck\":{}");
    }

    @Test
    void firstExample_inBinary_isWhatIsPrinted() {
        Message message = Codec.CLIENT.read(blocks("json client").get(0));
        assertThat(HexFormat.of().formatHex(message.toByteArray()))
                .isEqualTo(blocks("hex client").get(0).replaceAll("\\s", ""));
    }

    @Test
    void tableOfMethods_comparedWithTheProto_isTheSame() {
        Map<String, Integer> told = new LinkedHashMap<>();
        Matcher rows = METHOD.matcher(page);
        while (rows.find()) {
            told.put(rows.group(1), Integer.valueOf(rows.group(2)));
        }
        assertThat(told).isEqualTo(methods());
    }

    @Test
    void eachMethod_ofTheTable_isExplained() {
        String headings = Pattern.compile("^### .*$", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(heading -> heading.group() + " ")
                .collect(Collectors.joining());
        for (String method : methods().keySet()) {
            assertThat(headings).contains(" " + method + " ");
        }
    }

    @Test
    void tableOfCloseCodes_comparedWithTheCauses_hasThemAll() {
        Set<Integer> told = CODE.matcher(page)
                .results()
                .map(row -> Integer.valueOf(row.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<Integer> wanted =
                Stream.of(CloseCause.values()).map(CloseCause::code).collect(Collectors.toCollection(TreeSet::new));
        wanted.add(1006);
        assertThat(told).isEqualTo(wanted);
    }

    @Test
    void settings_ofThePage_existAndNoneOfTheStreamIsMissing() {
        Set<String> told =
                SETTING.matcher(page).results().map(found -> found.group(1)).collect(Collectors.toSet());
        Set<String> all = new TreeSet<>(Setting.TEXT);
        Stream.of(Setting.values()).map(Setting::key).forEach(all::add);
        assertThat(all).containsAll(told);
        assertThat(told)
                .containsAll(all.stream()
                        .filter(name -> name.startsWith("huddle.stream.") && !INTERNAL.contains(name))
                        .toList());
    }

    @Test
    void tableOfLimits_comparedWithTheSettings_hasTheirDefaults() {
        Map<String, Integer> defaults = new TreeMap<>();
        Stream.of(Setting.values()).forEach(setting -> defaults.put(setting.key(), setting.byDefault()));
        Matcher rows = LIMIT.matcher(page);
        int found = 0;
        while (rows.find()) {
            String name = rows.group(3);
            long told = Long.parseLong(rows.group(1).replace(",", "")) * unit(rows.group(2), name);
            assertThat(told).as(name).isEqualTo(defaults.get(name).longValue());
            found++;
        }
        assertThat(found).isGreaterThan(18);
    }

    @Test
    void tablesOfErrors_comparedWithTheRefusals_haveTheirCodes() {
        Set<String> refusals =
                Stream.of(Refusal.values()).map(Refusal::slug).collect(Collectors.toCollection(TreeSet::new));
        refusals.addAll(OF_THE_STREAM);
        String errors = page.substring(page.indexOf("### Errors"), page.indexOf("### Receipts"));
        Set<String> told = new TreeSet<>();
        for (String cell :
                ERROR.matcher(errors).results().map(row -> row.group(1)).toList()) {
            for (String code : cell.split(", ", -1)) {
                told.add(code.replaceAll("[`: …]", ""));
            }
        }
        told.remove("error");
        assertThat(refusals).containsAll(told);
        assertThat(told).hasSizeGreaterThan(18).containsAll(OF_THE_STREAM);
    }

    private static long unit(@Nullable String unit, String setting) {
        return switch (unit == null ? "" : unit) {
            case "KiB" -> 1_024;
            case "MiB" -> 1_048_576;
            case "s" -> setting.endsWith("-ms") ? 1_000 : 1;
            default -> 1;
        };
    }

    /** Method to number, from both directions, which must agree. */
    private static Map<String, Integer> methods() {
        Map<String, Integer> methods = new TreeMap<>();
        for (Codec codec : Codec.values()) {
            for (FieldDescriptor field : codec.type().getFields()) {
                if (field.getNumber() >= 100) {
                    String method = field.getJsonName().replaceAll("(Request|Response)$", "");
                    Integer other = methods.put(method, field.getNumber());
                    assertThat(other).as(method).isIn(null, field.getNumber());
                }
            }
        }
        return methods;
    }

    /** The fenced blocks of this kind, in order. */
    private static List<String> blocks(String kind) {
        List<String> found = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(page);
        while (blocks.find()) {
            if (blocks.group(1).equals(kind)) {
                found.add(blocks.group(2));
            }
        }
        assertThat(found).as("blocks of %s", kind).isNotEmpty();
        return found;
    }
}
