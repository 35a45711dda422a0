package io.huddle.mesh;

import io.huddle.security.SecretSeal;
import io.huddle.web.Refused;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The registry's cursor on the wire. It names the client at which a page ended, whoever may see that one, and so it is sealed:
 * it tells a reader nothing, and is refused if anything of it was changed. Every node opens it as long as the registry's
 * epoch lasts, from which its key is made: who knows an epoch reads logs or Redis, where client ids are found anyway. Pure.
 */
final class PageCursor {
    private static final String PURPOSE = "huddle client listing";

    /** Room for the longest client id, thrice encoded. */
    private static final int LONGEST = 16_384;

    private PageCursor() {}

    static String seal(String epoch, String cursor) {
        byte[] sealed = Base64.getDecoder().decode(new SecretSeal(epoch, PURPOSE).seal(PURPOSE, cursor));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    }

    /**
     * The registry's cursor.
     *
     * @throws Refused {@code invalid-request} for what {@link #seal} did not write in this epoch
     */
    static String open(String epoch, String text) {
        String cursor = text.length() <= LONGEST ? opened(epoch, text) : null;
        if (cursor == null) {
            throw Refused.invalid("cursor must be the value of 'next' of the page before");
        }
        return cursor;
    }

    private static @Nullable String opened(String epoch, String text) {
        try {
            byte[] sealed = Base64.getUrlDecoder().decode(text);
            // The last letter has bits that say nothing.
            boolean isOurs = Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(sealed)
                    .equals(text);
            return isOurs
                    ? new SecretSeal(epoch, PURPOSE)
                            .open(PURPOSE, Base64.getEncoder().encodeToString(sealed))
                    : null;
        } catch (IllegalArgumentException notOurs) {
            return null;
        }
    }
}
