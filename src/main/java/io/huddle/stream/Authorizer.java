package io.huddle.stream;

import java.util.Map;

/**
 * An application's say about a handshake that proved who it is. Every CDI bean of this type is asked, in no certain order;
 * each may block for a moment.
 */
@FunctionalInterface
public interface Authorizer {
    /**
     * Judges a handshake.
     *
     * @return metadata to add to the stream's; empty to accept it as it is
     * @throws io.huddle.web.Refused to refuse it; the client learns the status and no reason
     */
    Map<String, String> authorize(Handshake handshake);
}
