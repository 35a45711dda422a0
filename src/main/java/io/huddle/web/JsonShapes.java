package io.huddle.web;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.json.bind.config.PropertyOrderStrategy;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** How records become JSON: members without a value are left out, times are RFC 3339 UTC with milliseconds. */
@Provider
public class JsonShapes implements ContextResolver<Jsonb> {
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

    public static String time(Instant instant) {
        return RFC_3339.format(instant);
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
