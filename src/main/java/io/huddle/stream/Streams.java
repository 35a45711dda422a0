package io.huddle.stream;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.Optional;

/** The public streams of this node. Safe for use by any thread. */
@ApplicationScoped
@SuppressWarnings("DoNotCallSuggester")
public class Streams {
    /** The public stream of this client id on this node. */
    public Optional<ClientStream> find(String clientId) {
        throw new UnsupportedOperationException();
    }

    /** All public streams of this node; a view that is safe to walk while it changes. */
    public Collection<ClientStream> all() {
        throw new UnsupportedOperationException();
    }
}
