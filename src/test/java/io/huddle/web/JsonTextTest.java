package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.StringReader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"null", "true", " 1 ", "-0.5e7", "\"\"", "[]", "[1,[2]]", "{}", "\t{\"a\":{\"b\":null}}\n"})
    void value_wellFormed_isValid(String text) {
        assertThat(JsonText.isValid(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "nul",
                "1 2",
                "{} x",
                "{}{}",
                "[1,]",
                "{\"a\"}",
                "{\"a\":1,}",
                "'a'",
                "[",
                "01",
                "\"a",
                "\uFEFF{}"
            })
    void value_brokenOrFollowed_isNotValid(String text) {
        assertThat(JsonText.isValid(text)).isFalse();
        assertThat(JsonText.isObject(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "1",
                "null",
                "\"{}\"",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":1,\"b\":1}}",
                "[{\"a\":1,\"a\":1}]"
            })
    void object_otherOrWithAFieldTwice_isNone(String text) {
        assertThat(JsonText.isObject(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", " {\"a\":[1,2],\"b\":{\"a\":1}} "})
    void object_wellFormed_isOne(String text) {
        assertThat(JsonText.isObject(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000})
    void value_nestedForEver_isNotValidAndNoFailure(int depth) {
        assertThat(JsonText.isValid("[".repeat(depth) + "]".repeat(depth))).isFalse();
        assertThat(JsonText.isObject("{\"a\":".repeat(depth) + "1" + "}".repeat(depth)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "c-badge7", "a \"b\" \\ /", "\n\t\u0000\u001f", "\u007f", "Ü €", "\ud83d\ude00", "</script>"
            })
    void text_quoted_isReadAsItWas(String text) {
        StringBuilder json = new StringBuilder("[");
        JsonText.quote(json, text);
        json.append(']');
        try (JsonReader reader = Json.createReader(new StringReader(json.toString()))) {
            assertThat(reader.readArray().getString(0)).isEqualTo(text);
        }
    }
}
