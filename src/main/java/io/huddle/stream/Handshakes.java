package io.huddle.stream;

import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Skeleton until the handshake lands. */
@ApplicationScoped
@SuppressWarnings("DoNotCallSuggester")
public class Handshakes {
    Handshake admit(String path, @Nullable String query, @Nullable String origin, String own) {
        throw new UnsupportedOperationException();
    }
}
