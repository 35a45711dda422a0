package io.huddle.link;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The links of this node. Safe for use by any thread; nothing blocks. */
public class Links {
    /** True if a secret and an address are configured, so that other nodes can be reached. */
    public boolean isEnabled() {
        throw new UnsupportedOperationException();
    }

    /** Where this node's link is reached, and its key, for the membership; empty texts if not enabled. */
    public String url() {
        throw new UnsupportedOperationException();
    }

    public String key() {
        throw new UnsupportedOperationException();
    }

    /** True if the peer has shown life on its link within the last two pings: a cached route may be trusted. */
    public boolean isFresh(long number, String process) {
        throw new UnsupportedOperationException();
    }

    /**
     * Calls an operation of a peer; connects first if need be, within the deadline.
     *
     * @param operation the name its handler is known by
     * @param request bytes for the handler
     * @param deadline from now to the answer; what is left of it travels with the call
     * @return on any thread, not to be worked on for long; exceptionally a {@link LinkFailed}
     */
    public CompletionStage<ByteString> call(Peer peer, String operation, ByteString request, Duration deadline) {
        throw new UnsupportedOperationException();
    }

    /** Serves an operation; once for each name, before the first link. */
    public void serve(String operation, LinkHandler handler) {
        throw new UnsupportedOperationException();
    }
}
