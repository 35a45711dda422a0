package io.huddle.web;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Where a page of a newest-first listing ended: a keyset, so that rows made meanwhile neither repeat nor skip any. Pure. */
public record Cursor(Instant at, String id) {
    /** The end of the year 9999: beyond it, and before 1970, the databases and the platform stumble over years. */
    private static final long LATEST_MICROS = 253_402_300_799_999_999L;

    /** Characters of the longest id that is listed: a client's. */
    private static final int LONGEST_ID = 128;

    /** @throws Refused {@code invalid-request} for anything this class did not write itself */
    public static @Nullable Cursor parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.US_ASCII);
            int comma = plain.indexOf(',');
            long micros = Long.parseLong(plain.substring(0, comma));
            Cursor cursor = new Cursor(
                    Instant.EPOCH.plus(micros, ChronoUnit.MICROS),
                    Text.checked("cursor", plain.substring(comma + 1), LONGEST_ID));
            if (micros < 0 || micros > LATEST_MICROS || !cursor.text().equals(text)) {
                throw notOurs();
            }
            return cursor;
        } catch (RuntimeException unreadable) {
            throw notOurs();
        }
    }

    private static Refused notOurs() {
        return Refused.invalid("cursor must be the value of 'next' of the page before");
    }

    public String text() {
        String plain = ChronoUnit.MICROS.between(Instant.EPOCH, at) + "," + id;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.US_ASCII));
    }
}
