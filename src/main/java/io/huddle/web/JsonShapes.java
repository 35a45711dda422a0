package io.huddle.web;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.json.bind.config.PropertyOrderStrategy;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How records become JSON: members without a value are left out, times are RFC 3339 UTC with milliseconds. */
@Provider
public class JsonShapes implements ContextResolver<Jsonb> {
    private static final int LAST_YEAR = 9_999;
    private static final int NANOS_PER_MILLISECOND = 1_000_000;
    private static final DateTimeFormatter RFC_3339 =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final Jsonb JSON = JsonbBuilder.create(new JsonbConfig()
            .withAdapters(new Milliseconds())
            .withPropertyOrderStrategy(PropertyOrderStrategy.LEXICOGRAPHICAL));

    @Override
    public Jsonb getContext(Class<?> type) {
        return JSON;
    }

    /** A record as JSON text, for what is not sent as a response: server-sent events, log lines. */
    public static String json(Object shape) {
        return JSON.toJson(shape);
    }

    /** RFC 3339 in UTC with milliseconds; what is finer is cut. */
    public static String time(Instant instant) {
        LocalDateTime utc = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), ZoneOffset.UTC);
        if (utc.getYear() < 0 || utc.getYear() > LAST_YEAR) {
            return RFC_3339.format(instant);
        }
        // Two of these stand in the answer of every renewal; a formatter takes several times as long.
        char[] text = "0000-00-00T00:00:00.000Z".toCharArray();
        digits(text, 3, utc.getYear());
        digits(text, 6, utc.getMonthValue());
        digits(text, 9, utc.getDayOfMonth());
        digits(text, 12, utc.getHour());
        digits(text, 15, utc.getMinute());
        digits(text, 18, utc.getSecond());
        digits(text, 22, utc.getNano() / NANOS_PER_MILLISECOND);
        return new String(text);
    }

    /** Writes a number to the left from its last digit's place, over the zeros that are there. */
    private static void digits(char[] text, int last, int number) {
        int place = last;
        for (int rest = number; rest > 0; rest /= 10) {
            text[place--] = (char) ('0' + rest % 10);
        }
    }

    /** The adapter of every {@link Instant}; fractions of a millisecond are cut, so a lease never looks longer. */
    public static final class Milliseconds implements JsonbAdapter<Instant, String> {
        @Override
        public String adaptToJson(Instant instant) {
            return time(instant);
        }

        @Override
        public Instant adaptFromJson(String text) {
            return Instant.parse(text);
        }
    }
}
