package io.huddle.link;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Serves one operation. Called on a thread of the link: what blocks goes elsewhere. */
@FunctionalInterface
public interface LinkHandler {
    /**
     * @return the answer; exceptionally with a {@link LinkFailed} of {@code REMOTE} whose code and flag reach the caller, or
     *     anything else, of which the caller learns nothing but that it failed
     */
    CompletionStage<ByteString> handle(Call call);

    /**
     * A call as it arrived.
     *
     * @param number the caller's number, proven at the handshake
     * @param process the caller's process, proven at the handshake
     * @param residual what is left of the deadline on arrival
     */
    record Call(long number, String process, ByteString request, Duration residual) {}
}
