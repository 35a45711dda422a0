package io.huddle.membership;

import io.huddle.web.JsonText;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A broadcast on its way: one JSON text, made once. The data comes last and is taken out as it stands, so that every node
 * sees the same text, numbers and order of fields included.
 */
record Envelope(String type, long number, String process, String data) {
    static final int MOST_BYTES = 1_048_576;
    static final int MOST_TYPE = 256;

    private static final int PROTOCOL = 1;
    private static final Pattern HEAD =
            Pattern.compile("\\{\"protocol\":(\\d{1,9}),\"type\":(\"(?:[^\"\\\\]|\\\\.){1,1536}+\")"
                    + ",\"number\":([1-9]\\d{0,17}),\"process\":\"([a-z0-9-]{1,64})\",\"data\":");

    /**
     * @throws IllegalArgumentException if the type is empty or too long, the data is no JSON, or both together are too long
     */
    String encode() {
        if (type.isEmpty() || type.length() > MOST_TYPE) {
            throw new IllegalArgumentException("a broadcast's type has 1 to " + MOST_TYPE + " characters");
        }
        if (data.length() > MOST_BYTES || !JsonText.isValid(data)) {
            throw new IllegalArgumentException(
                    "a broadcast's data is one JSON value of at most " + MOST_BYTES + " bytes");
        }
        String text = "{\"protocol\":" + PROTOCOL + ",\"type\":" + Json.createValue(type) + ",\"number\":" + number
                + ",\"process\":\"" + process + "\",\"data\":" + data + "}";
        if (isTooLong(text) || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException("a broadcast has at most " + MOST_BYTES + " bytes of UTF-8");
        }
        return text;
    }

    /** What was sent; empty if it is not what {@link #encode} makes. */
    static Optional<Envelope> decode(String text) {
        Matcher head = HEAD.matcher(text);
        if (isTooLong(text) || !text.endsWith("}") || !head.lookingAt()) {
            return Optional.empty();
        }
        String data = text.substring(head.end(), text.length() - 1);
        if (Integer.parseInt(head.group(1)) != PROTOCOL || !JsonText.isValid(data)) {
            return Optional.empty();
        }
        return type(head.group(2)).map(type -> new Envelope(type, Long.parseLong(head.group(3)), head.group(4), data));
    }

    private static Optional<String> type(String quoted) {
        try (JsonReader reader = Json.createReader(new StringReader("[" + quoted + "]"))) {
            String type = reader.readArray().getString(0);
            return type.length() <= MOST_TYPE ? Optional.of(type) : Optional.empty();
        } catch (RuntimeException unreadable) {
            return Optional.empty();
        }
    }

    private static boolean isTooLong(String text) {
        return text.length() > MOST_BYTES || text.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES;
    }
}
