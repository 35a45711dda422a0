package io.huddle.web;

import org.jspecify.annotations.Nullable;

/** The header {@code Huddle-Reason}: why an operator acts, 1 to 200 characters. Pure. */
public final class Reason {
    private static final int LONGEST = 200;

    private Reason() {}

    /**
     * The reason, or null where the header is missing or blank.
     *
     * @throws Refused {@code invalid-request} if too long
     */
    public static @Nullable String parse(@Nullable String header) {
        return header == null || header.isBlank() ? null : Text.checked("Huddle-Reason", header.strip(), LONGEST);
    }

    /** @throws Refused {@code reason-missing} without one */
    public static String need(@Nullable String header) {
        String reason = parse(header);
        if (reason == null) {
            throw new Refused(Refusal.REASON_MISSING, "an operator says why: 1 to 200 characters");
        }
        return reason;
    }
}
