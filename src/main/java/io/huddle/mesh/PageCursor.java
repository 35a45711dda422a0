package io.huddle.mesh;

import io.huddle.web.Refused;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The registry's cursor on the wire: letters that fit a query and tell a reader nothing. Pure. */
final class PageCursor {
    /** Room for the longest client id, twice encoded. */
    private static final int LONGEST = 16_384;

    private PageCursor() {}

    static @Nullable String text(@Nullable String cursor) {
        return cursor == null
                ? null
                : Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The registry's cursor, empty for the first page. Whether it is one the registry judges.
     *
     * @throws Refused {@code invalid-request} for what {@link #text} did not write
     */
    static String parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return "";
        }
        try {
            String cursor = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            if (text.length() <= LONGEST && !cursor.isEmpty() && text.equals(text(cursor))) {
                return cursor;
            }
        } catch (IllegalArgumentException notOurs) {
            throw refused();
        }
        throw refused();
    }

    private static Refused refused() {
        return Refused.invalid("cursor must be the value of 'next' of the page before");
    }
}
