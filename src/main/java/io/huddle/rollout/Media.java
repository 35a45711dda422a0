package io.huddle.rollout;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a source sees of a participant. Pure. */
public enum Media {
    /** Connected, and audio arrives. */
    FLOWING,
    /** Connected without audio. */
    SILENT,
    /** Not connected. */
    GONE;

    /** The name on the wire and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Media> named(String wire) {
        return Arrays.stream(values())
                .filter(media -> media.wire().equals(wire))
                .findFirst();
    }
}
