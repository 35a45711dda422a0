package io.huddle.drift;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/**
 * All that decides whether an alert is raised. Pure.
 *
 * @param window how long a window is
 * @param evidence how old a report or an observation may be
 * @param suspects from how many members on suspects can pile up
 * @param rejections that make a room drift, in one window
 * @param divergent windows that raise an alert
 * @param among so many, the newest among them
 * @param clean windows that close it
 * @param pageRooms rooms with alerts that are one trouble
 * @param pageWindows for so many windows after the one in which they became so many
 */
record Thresholds(
        Duration window,
        Duration evidence,
        int suspects,
        int rejections,
        int divergent,
        int among,
        int clean,
        int pageRooms,
        int pageWindows) {
    private static final int VERSION_BYTES = 6;

    /** The settings as they are hashed and kept, in one fixed order. */
    String text() {
        return "window-seconds=" + window.toSeconds() + " evidence-seconds=" + evidence.toSeconds() + " suspects="
                + suspects + " rejections=" + rejections + " divergent-windows=" + divergent + " of-windows=" + among
                + " clean-windows=" + clean + " page-rooms=" + pageRooms + " page-windows=" + pageWindows;
    }

    /** Twelve hexadecimal digits: the same settings have the same version, on every node and after every restart. */
    String version() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, VERSION_BYTES);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }
}
