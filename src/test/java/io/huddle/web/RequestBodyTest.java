package io.huddle.web;

import static io.huddle.web.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {
    @Test
    void parse_noBytes_isAnEmptyObject() {
        RequestBody body = RequestBody.parse(new byte[0]);
        assertThat(body.canonical()).isEqualTo("{}");
        body.end();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "null",
                "true",
                "1",
                "\"text\"",
                "[]",
                "[{}]",
                "{",
                "}",
                "{}]",
                "{}}",
                "{},",
                "{}{}",
                "{} {}",
                "{}],[{}",
                "{} x",
                "{}null",
                "{\"a\":1}1",
                "{\"a\":1}//",
                "{a:1}",
                "{'a':1}",
                "{\"a\":1,}",
                "{\"a\":}",
                "{\"a\" 1}",
                "{\"a\":01}",
                "{\"a\":+1}",
                "{\"a\":.5}",
                "{\"a\":1.}",
                "{\"a\":0x1}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":-}",
                "{\"a\":tru}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{/**/}",
                "\uFEFF{}",
                "{\"a\":1,\"a\":1}",
                "{\"a\":1,\"\\u0061\":2}",
                "{\"p\":{\"a\":1,\"a\":2}}",
                "{\"p\":[{\"a\":1,\"a\":2}]}",
                "{\"a\":1e99999999999}"
            })
    void parse_anythingButOneObject_isInvalid(String json) {
        assertInvalid(() -> body(json));
    }

    @Test
    void parse_whiteSpaceAround_isFine() {
        assertThat(body(" \r\n\t{ } \n ").canonical()).isEqualTo("{}");
    }

    @Test
    void parse_objectsWithinAndAround_areReadToTheirEnd() {
        RequestBody body = body("{\"p\":{\"q\":{},\"r\":[{},[]]},\"z\":1}");
        assertThat(body.number("z", 0, 1)).isEqualTo(1);
    }

    @Test
    void parse_refused_quotesNothingOfTheBody() {
        assertThat(detail("{\"secret\":\"hunter2\" \"x\"}")).doesNotContain("secret", "hunter2", "jakarta", "parsson");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":", "["})
    void parse_nestedTooDeeply_isInvalidAndNoOverflow(String opening) {
        String prefix = opening.startsWith("[") ? "{\"a\":" : "";
        assertInvalid(() -> body(prefix + opening.repeat(30_000)));
        String closing = opening.startsWith("[") ? "]" : "}";
        String middle = opening.startsWith("[") ? "" : "1";
        String suffix = opening.startsWith("[") ? "}" : "";
        assertInvalid(() -> body(prefix + opening.repeat(6_000) + middle + closing.repeat(6_000) + suffix));
    }

    @Test
    void parse_nestedALittle_hasACanonicalForm() {
        assertThat(body("{\"a\":".repeat(50) + "1" + "}".repeat(50)).canonical())
                .startsWith("{\"a\":{\"a\":");
    }

    @Test
    void parse_brokenUtf8_isInvalid() {
        byte[][] broken = {
            {'{', '"', (byte) 0xff, '"', ':', '1', '}'},
            {'{', '"', (byte) 0xc3, '"', ':', '1', '}'},
            {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'},
            {'{', '"', (byte) 0xc0, (byte) 0xaf, '"', ':', '1', '}'},
            {(byte) 0xff, (byte) 0xfe, '{', 0, '}', 0},
            {'{', '}', (byte) 0xe2},
        };
        for (byte[] bytes : broken) {
            assertInvalid(() -> RequestBody.parse(bytes), "UTF-8");
        }
        assertInvalid(() -> RequestBody.parse("{}".getBytes(StandardCharsets.UTF_16)));
    }

    @Test
    void text_ofTheRightType_isWhatWasSent() {
        assertThat(body("{\"a\":\"Station 4 – früh 🎧\"}").text("a", 20)).isEqualTo("Station 4 – früh 🎧");
        assertThat(body("{\"a\":\"\\u00e9\"}").text("a", 1)).isEqualTo("é");
    }

    @Test
    void text_missingNullOrWrong_isNamed() {
        assertInvalid(() -> body("{}").text("team", 5), "team is missing");
        assertInvalid(() -> body("{\"team\":null}").text("team", 5), "team is missing");
        assertInvalid(() -> body("{\"team\":1}").text("team", 5), "team must be a string");
        assertInvalid(() -> body("{\"team\":[\"a\"]}").text("team", 5), "team must be a string");
        assertInvalid(() -> body("{\"team\":\"\"}").text("team", 5), "team must not be empty");
        assertInvalid(() -> body("{\"team\":\"abcdef\"}").text("team", 5), "team must have at most 5");
        assertInvalid(() -> body("{\"team\":\"a\\u0000\"}").text("team", 5), "control");
        assertInvalid(() -> body("{\"team\":\"\\ud800\"}").text("team", 5), "Unicode");
    }

    @Test
    void optional_missingOrNull_isNull() {
        for (String json : List.of("{}", "{\"a\":null}")) {
            assertThat(body(json).optionalText("a", 1)).isNull();
            assertThat(body(json).optionalFlag("a")).isNull();
            assertThat(body(json).optionalNumber("a", 0, 1)).isNull();
            assertThat(body(json).optionalObject("a")).isNull();
            assertThat(body(json).texts("a", 1, 1)).isEmpty();
            assertThat(body(json).flag("a", true)).isTrue();
        }
    }

    @Test
    void flag_onlyTrueAndFalse_areFlags() {
        assertThat(body("{\"a\":true}").flag("a", false)).isTrue();
        assertThat(body("{\"a\":false}").flag("a", true)).isFalse();
        for (String wrong : List.of("\"true\"", "1", "0", "{}", "[]")) {
            assertInvalid(() -> body("{\"a\":" + wrong + "}").flag("a", true), "a must be true or false");
        }
    }

    @Test
    void number_wholeHoweverWritten_isExact() {
        assertThat(number("0")).isZero();
        assertThat(number("-0")).isZero();
        assertThat(number("1.0")).isEqualTo(1);
        assertThat(number("1e2")).isEqualTo(100);
        assertThat(number("100E-2")).isEqualTo(1);
        assertThat(number("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(number("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.5",
                "1e-1",
                "9223372036854775808",
                "-9223372036854775809",
                "1e19",
                "1e999999999",
                "1e-999999999",
                "1e2147483647",
                "-1e999999999",
                "\"1\"",
                "true",
                "{}",
                "[1]"
            })
    void number_notWholeOrTooLarge_isInvalid(String json) {
        assertInvalid(() -> number(json), "a must be a whole number from");
    }

    @Test
    void number_ofManyDigits_isInvalid() {
        assertInvalid(() -> number("9".repeat(60_000)));
        assertInvalid(() -> number("1" + "0".repeat(1_000)));
        assertInvalid(() -> number("0." + "0".repeat(60_000) + "1"));
    }

    @Test
    void number_bounds_areInclusive() {
        assertThat(body("{\"a\":3}").number("a", 3, 3)).isEqualTo(3);
        assertInvalid(() -> body("{\"a\":2}").number("a", 3, 4), "from 3 to 4");
        assertInvalid(() -> body("{\"a\":5}").number("a", 3, 4), "from 3 to 4");
        assertInvalid(() -> body("{}").number("a", 3, 4), "a is missing");
    }

    @Test
    void object_within_namesItsPath() {
        RequestBody inner =
                Objects.requireNonNull(body("{\"policy\":{\"x\":0}}").optionalObject("policy"));
        assertInvalid(() -> inner.number("x", 1, 2), "policy.x must be");
        assertInvalid(() -> inner.text("y", 1), "policy.y is missing");
        assertInvalid(() -> body("{\"policy\":[]}").optionalObject("policy"), "policy must be an object");
    }

    @Test
    void texts_list_isBounded() {
        assertThat(body("{\"a\":[\"x\",\"y\"]}").texts("a", 2, 1)).containsExactly("x", "y");
        assertInvalid(() -> body("{\"a\":[\"x\",\"y\"]}").texts("a", 1, 1), "at most 1");
        assertInvalid(() -> body("{\"a\":[\"xx\"]}").texts("a", 1, 1));
        assertInvalid(() -> body("{\"a\":[1]}").texts("a", 1, 1));
        assertInvalid(() -> body("{\"a\":[null]}").texts("a", 1, 1));
        assertInvalid(() -> body("{\"a\":\"x\"}").texts("a", 1, 1), "a must be an array");
    }

    @Test
    void end_fieldNobodyAskedFor_isRefusedAndNotQuoted() {
        RequestBody body = body("{\"a\":true,\"<script>\":null}");
        body.flag("a", false);
        assertInvalid(body::end, "known are: a");
        assertThat(detailOf(body::end)).doesNotContain("script");
    }

    @Test
    void end_fieldWithinOfAnotherCase_isRefused() {
        RequestBody inner = Objects.requireNonNull(body("{\"p\":{\"A\":1}}").optionalObject("p"));
        inner.optionalNumber("a", 0, 1);
        assertInvalid(inner::end, "p.a");
    }

    @Test
    void canonical_orderAndWhiteSpace_doNotMatter() {
        String one = canonical("{\"a\":1,\"b\":{\"c\":\"x\",\"d\":[1,{\"e\":1,\"f\":2}]}}");
        assertThat(canonical(" { \"b\" : { \"d\" : [ 1 , { \"f\" : 2 , \"e\" : 1 } ] , \"c\" : \"x\" } , \"a\" : 1 } "))
                .isEqualTo(one);
        assertThat(canonical("{\"\\u0061\":1,\"b\":{\"c\":\"\\u0078\",\"d\":[1,{\"e\":1,\"f\":2}]}}"))
                .isEqualTo(one);
    }

    @Test
    void canonical_anyOtherContent_differs() {
        List<String> all = List.of(
                "{}",
                "{\"a\":null}",
                "{\"a\":1}",
                "{\"a\":\"1\"}",
                "{\"a\":true}",
                "{\"a\":\"true\"}",
                "{\"a\":\"null\"}",
                "{\"a\":{}}",
                "{\"a\":[]}",
                "{\"a\":[[]]}",
                "{\"a\":[1,2]}",
                "{\"a\":[2,1]}",
                "{\"a\":[12]}",
                "{\"a\":\"x\"}",
                "{\"a\":\"X\"}",
                "{\"a\":\"x \"}",
                "{\"b\":\"x\"}",
                "{\"a\":\"x\",\"b\":1}",
                "{\"a\":\"x\\\",\\\"b\\\":1\"}",
                "{\"a\":{\"b\":1}}",
                "{\"a\":{\"b\":1,\"c\":1}}",
                "{\"a\":{\"b\":1},\"c\":1}",
                "{\"a\":\"e\\u0301\"}",
                "{\"a\":\"\\u00e9\"}");
        assertThat(all.stream().map(RequestBodyTest::canonical)).doesNotHaveDuplicates();
    }

    private static long number(String json) {
        return body("{\"a\":" + json + "}").number("a", Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static String canonical(String json) {
        return body(json).canonical();
    }

    private static String detail(String json) {
        return detailOf(() -> body(json));
    }

    private static String detailOf(Runnable call) {
        try {
            call.run();
        } catch (Refused refused) {
            return refused.detail();
        }
        throw new AssertionError("it was not refused");
    }

    private static RequestBody body(String json) {
        return RequestBody.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
