package io.huddle.web;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonConfig;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParserFactory;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object as it was sent, read strictly: each field once, of the right type, within bounds, and none unknown.
 *
 * <p>Every accessor refuses with {@code invalid-request} and names the field. {@link #end()} refuses what was not asked
 * for. Used by one thread.
 */
public final class RequestBody {
    private static final JsonReaderFactory STRICT =
            Json.createReaderFactory(Map.of(JsonConfig.KEY_STRATEGY, JsonConfig.KeyStrategy.NONE));
    private static final JsonParserFactory PARSERS = Json.createParserFactory(Map.of());

    private final JsonObject json;
    private final String path;
    private final Set<String> asked = new HashSet<>();

    private RequestBody(JsonObject json, String path) {
        this.json = json;
        this.path = path;
    }

    /**
     * Reads one JSON object; no bytes at all are an empty object.
     *
     * @throws Refused {@code invalid-request} for anything but one well-formed object in UTF-8
     */
    public static RequestBody parse(byte[] bytes) {
        if (bytes.length == 0) {
            return new RequestBody(JsonValue.EMPTY_JSON_OBJECT, "");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException broken) {
            throw Refused.invalid("the body must be UTF-8");
        }
        try (JsonReader reader = STRICT.createReader(new StringReader(text));
                JsonParser parser = PARSERS.createParser(new StringReader(text))) {
            // The reader refuses a field sent twice but ignores what follows the value; the parser sees what follows.
            if (parser.next() == JsonParser.Event.START_OBJECT) {
                JsonObject object = reader.readObject();
                parser.skipObject();
                if (!parser.hasNext()) {
                    return new RequestBody(object, "");
                }
            }
        } catch (RuntimeException unreadable) {
            // The parser's own words may quote the body, so they stay here.
            throw Refused.invalid("the body is not readable JSON: well-formed, no field twice, not nested too deeply");
        }
        throw Refused.invalid("the body must be one JSON object and nothing else");
    }

    /** A required text of at most {@code longest} characters. */
    public String text(String field, int longest) {
        String text = optionalText(field, longest);
        if (text == null) {
            throw Refused.invalid(path + field + " is missing");
        }
        return text;
    }

    public @Nullable String optionalText(String field, int longest) {
        JsonValue value = value(field);
        if (value == null) {
            return null;
        }
        if (value instanceof JsonString string) {
            return Text.checked(path + field, string.getString(), longest);
        }
        throw Refused.invalid(path + field + " must be a string");
    }

    public boolean flag(String field, boolean byDefault) {
        Boolean flag = optionalFlag(field);
        return flag == null ? byDefault : flag;
    }

    public @Nullable Boolean optionalFlag(String field) {
        JsonValue value = value(field);
        if (value == null) {
            return null;
        }
        if (value == JsonValue.TRUE || value == JsonValue.FALSE) {
            return value == JsonValue.TRUE;
        }
        throw Refused.invalid(path + field + " must be true or false");
    }

    /** A required whole number within inclusive bounds. */
    public long number(String field, long least, long most) {
        Long number = optionalNumber(field, least, most);
        if (number == null) {
            throw Refused.invalid(path + field + " is missing");
        }
        return number;
    }

    public @Nullable Long optionalNumber(String field, long least, long most) {
        JsonValue value = value(field);
        if (value == null) {
            return null;
        }
        if (value instanceof JsonNumber number) {
            try {
                // A scale beyond this is no number of ours, and expanding it would cost memory.
                if (Math.abs((long) number.bigDecimalValue().scale()) <= 40) {
                    long exact = number.bigDecimalValue().longValueExact();
                    if (exact >= least && exact <= most) {
                        return exact;
                    }
                }
            } catch (ArithmeticException notWhole) {
                throw Refused.invalid(path + field + " must be a whole number from " + least + " to " + most);
            }
        }
        throw Refused.invalid(path + field + " must be a whole number from " + least + " to " + most);
    }

    public @Nullable RequestBody optionalObject(String field) {
        JsonValue value = value(field);
        if (value == null) {
            return null;
        }
        if (value instanceof JsonObject object) {
            return new RequestBody(object, path + field + ".");
        }
        throw Refused.invalid(path + field + " must be an object");
    }

    /** A required value of any kind, null among them. */
    public JsonValue any(String field) {
        asked.add(field);
        JsonValue value = json.get(field);
        if (value == null) {
            throw Refused.invalid(path + field + " is missing");
        }
        return value;
    }

    /** All of it, for a body whose fields the caller chooses. */
    public JsonObject all() {
        asked.addAll(json.keySet());
        return json;
    }

    /** A list of at most {@code most} texts; empty where the field is missing. */
    public List<String> texts(String field, int most, int longest) {
        JsonValue value = value(field);
        if (value == null) {
            return List.of();
        }
        if (value instanceof JsonArray array && array.size() <= most) {
            return array.stream()
                    .map(one -> one instanceof JsonString text ? text.getString() : "")
                    .map(text -> Text.checked(path + field, text, longest))
                    .toList();
        }
        throw Refused.invalid(path + field + " must be an array of at most " + most + " strings");
    }

    /** A required list of at most {@code most} objects; each is to be read to its own {@link #end()}. */
    public List<RequestBody> objects(String field, int most) {
        if (value(field) instanceof JsonArray array && array.size() <= most) {
            List<RequestBody> objects = new ArrayList<>(array.size());
            for (JsonValue one : array) {
                if (!(one instanceof JsonObject object)) {
                    throw Refused.invalid(path + field + " must be an array of objects");
                }
                objects.add(new RequestBody(object, path + field + "[" + objects.size() + "]."));
            }
            return objects;
        }
        throw Refused.invalid(path + field + " must be an array of at most " + most + " objects");
    }

    /** Refuses the fields nobody asked for. */
    public void end() {
        for (String field : json.keySet()) {
            if (!asked.contains(field)) {
                throw Refused.invalid("the body has a field that is not known here; known are: "
                        + asked.stream().map(known -> path + known).sorted().collect(Collectors.joining(", ")));
            }
        }
    }

    /** The same content always gives the same text: fields sorted by name, at every depth, values as sent. */
    public String canonical() {
        return canonical(json);
    }

    private static String canonical(JsonValue value) {
        if (value instanceof JsonObject object) {
            StringBuilder text = new StringBuilder("{");
            new TreeMap<>(object)
                    .forEach((key, member) -> text.append(Json.createValue(key))
                            .append(':')
                            .append(canonical(member))
                            .append(','));
            return text.append('}').toString();
        }
        if (value instanceof JsonArray array) {
            return array.stream().map(RequestBody::canonical).collect(Collectors.joining(",", "[", "]"));
        }
        return value.toString();
    }

    private @Nullable JsonValue value(String field) {
        asked.add(field);
        JsonValue value = json.get(field);
        return value == JsonValue.NULL ? null : value;
    }
}
