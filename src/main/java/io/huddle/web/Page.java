package io.huddle.web;

import io.huddle.setting.Setting;
import org.jspecify.annotations.Nullable;

/** How many rows a caller asked for. Pure but for the configured bound. */
public final class Page {
    private static final int BY_DEFAULT = 50;

    private Page() {}

    /** @throws Refused {@code invalid-request} unless the text is empty or a number from 1 to the bound */
    public static int size(@Nullable String limit) {
        int most = Setting.PAGE_SIZE.value();
        if (limit == null) {
            return Math.min(BY_DEFAULT, most);
        }
        return (int) number("limit", limit, 1, most);
    }

    /** A whole number of a query or a header. */
    public static long number(String name, @Nullable String text, long least, long most) {
        if (text == null) {
            throw Refused.invalid(name + " is missing");
        }
        try {
            long number = Long.parseLong(text);
            // The parser also takes a plus sign and the digits of other scripts.
            if (number >= least && number <= most && text.chars().allMatch(c -> c == '-' || (c >= '0' && c <= '9'))) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw Refused.invalid(name + " must be a whole number from " + least + " to " + most);
        }
        throw Refused.invalid(name + " must be a whole number from " + least + " to " + most);
    }

    /** A text to filter by, or null for no filter. */
    public static @Nullable String filter(String name, @Nullable String text) {
        return text == null ? null : Text.checked(name, text, Setting.OCCURRENCE_LENGTH.value());
    }
}
