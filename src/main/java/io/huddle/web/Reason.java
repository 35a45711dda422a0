package io.huddle.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
        String reason = header == null ? "" : decoded(header).strip();
        return reason.codePoints().allMatch(Reason::isBlank) ? null : Text.checked("Huddle-Reason", reason, LONGEST);
    }

    /** @throws Refused {@code reason-missing} without one */
    public static String need(@Nullable String header) {
        String reason = parse(header);
        if (reason == null) {
            throw new Refused(Refusal.REASON_MISSING, "an operator says why: 1 to 200 characters");
        }
        return reason;
    }

    /** Also the spaces that do not break, which Java does not count as white space. */
    private static boolean isBlank(int codePoint) {
        return Character.isWhitespace(codePoint) || Character.isSpaceChar(codePoint);
    }

    /** The container hands headers over as Latin-1; who types a reason sends UTF-8. What is no UTF-8 stays as it came. */
    private static String decoded(String header) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(header.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException latin) {
            return header;
        }
    }
}
