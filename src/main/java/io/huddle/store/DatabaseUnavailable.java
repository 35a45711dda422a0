package io.huddle.store;

import org.jspecify.annotations.Nullable;

/** The database cannot answer now. Nothing is known to be lost; the caller may try again. */
public class DatabaseUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
