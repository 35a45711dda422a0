package io.huddle.drift;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a member's own report proves of its audio: the one rule for windows, removals and what operators are shown. Pure. */
public final class ReportedAudio {
    private static final Set<String> OVER = Set.of("failed", "closed");

    private ReportedAudio() {}

    /**
     * Whether its audio flows. Without the flag only the two states that end all audio tell something; a healthy connection
     * proves no audio.
     *
     * @return null where the report proves nothing
     */
    public static @Nullable Boolean flows(String state, @Nullable Boolean flowing) {
        return (flowing == null && isOver(state)) ? Boolean.FALSE : flowing;
    }

    /** True for the states of a connection that end all audio. */
    public static boolean isOver(String state) {
        return OVER.contains(state);
    }
}
