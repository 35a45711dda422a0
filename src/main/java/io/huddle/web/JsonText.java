package io.huddle.web;

import jakarta.json.Json;
import jakarta.json.JsonConfig;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParserFactory;
import java.io.StringReader;
import java.util.Map;

/**
 * JSON texts that pass through as they were sent: looked at, never written anew, so that they arrive byte for byte. Safe
 * for use by any thread.
 */
public final class JsonText {
    private static final JsonReaderFactory STRICT =
            Json.createReaderFactory(Map.of(JsonConfig.KEY_STRATEGY, JsonConfig.KeyStrategy.NONE));
    private static final JsonParserFactory PARSERS = Json.createParserFactory(Map.of());

    private JsonText() {}

    /** Adds a text as a JSON string. Ids and times need no escape, and there are thousands of them in a list. */
    public static void quote(StringBuilder to, String text) {
        if (isPlain(text)) {
            to.append('"').append(text).append('"');
        } else {
            to.append(Json.createValue(text));
        }
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character < ' ' || character > '~' || character == '"' || character == '\\') {
                return false;
            }
        }
        return true;
    }

    /** True for one well-formed JSON value of any kind and nothing behind it. */
    public static boolean isValid(String text) {
        try (JsonParser parser = PARSERS.createParser(new StringReader(text))) {
            boolean isAnything = false;
            while (parser.hasNext()) {
                parser.next();
                isAnything = true;
            }
            return isAnything;
        } catch (RuntimeException unreadable) {
            return false;
        }
    }

    /** True for one well-formed JSON object. Fields twice are not looked for: for what was checked before it was stored. */
    public static boolean isStoredObject(String text) {
        return text.equals("{}") || (text.startsWith("{") && isValid(text));
    }

    /** True for one well-formed JSON object that has no field twice, at any depth. */
    public static boolean isObject(String text) {
        if (!isValid(text) || !text.stripLeading().startsWith("{")) {
            return false;
        }
        try (JsonReader reader = STRICT.createReader(new StringReader(text))) {
            reader.readObject();
            return true;
        } catch (RuntimeException unreadable) {
            return false;
        }
    }
}
