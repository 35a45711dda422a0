package io.huddle.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures of a drill as they come, and what was not as it should be. One thread's. */
final class Report {
    private final String name;
    private final List<String> lines = new ArrayList<>();
    private boolean isWell = true;

    Report(String name) {
        this.name = name;
    }

    void tell(String format, Object... values) {
        String line = String.format(Locale.ROOT, format, values);
        lines.add(line);
        System.out.println(line);
    }

    /** A rule; the sentence says what holds. */
    void rule(boolean holds, String format, Object... values) {
        isWell &= holds;
        tell((holds ? "  ok      " : "  BROKEN  ") + format, values);
    }

    /** A figure and its bound. */
    void bound(Duration took, Duration most, String what) {
        rule(took.compareTo(most) <= 0, "%s after %.1f s, of at most %.1f s", what, seconds(took), seconds(most));
    }

    static double seconds(Duration time) {
        return time.toMillis() / 1e3;
    }

    boolean isWell() {
        return isWell;
    }

    void write() throws IOException {
        tell(isWell ? "all is well" : "NOT WELL");
        Path folder = Files.createDirectories(Path.of("target", "soak"));
        Path file = folder.resolve(name + ".txt");
        Files.write(file, lines);
        System.out.println("written to " + file);
    }
}
