package io.huddle.web;

import jakarta.enterprise.context.RequestScoped;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The W3C trace context that a request came with, if it is well-formed. One a request. */
@RequestScoped
public class Trace {
    private static final Pattern TRACEPARENT =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

    private @Nullable String id;

    /** Takes the header {@code traceparent}; anything malformed is ignored, as the specification says. */
    void take(@Nullable String header) {
        Matcher matcher = TRACEPARENT.matcher(header == null ? "" : header);
        id = matcher.matches() ? matcher.group(1) : null;
    }

    /** The trace id, 32 hexadecimal digits, or null. */
    public @Nullable String id() {
        return id;
    }
}
