package io.huddle.setting;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Which release this is, as the build wrote it. */
public final class Release {
    private static final String FILE = "release.properties";

    private Release() {}

    /**
     * The version, for instance {@code 1.4.0}.
     *
     * @throws IllegalStateException if the build left it out
     */
    public static String version() {
        Properties written = new Properties();
        try (InputStream file = Release.class.getResourceAsStream(FILE)) {
            if (file != null) {
                written.load(file);
            }
        } catch (IOException unreadable) {
            throw new IllegalStateException(FILE + " cannot be read", unreadable);
        }
        String version = written.getProperty("version", "");
        if (version.isEmpty()) {
            throw new IllegalStateException(FILE + " names no version");
        }
        return version;
    }
}
