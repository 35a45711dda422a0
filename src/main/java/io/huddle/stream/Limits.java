package io.huddle.stream;

import io.huddle.setting.Setting;
import java.time.Duration;

/**
 * The limits of a stream, read once for the node. Sizes in bytes. Source: the limits of the stream's protocol.
 *
 * @param messageBytes of one message, counted over its fragments
 * @param bufferBytes that may wait for the socket, of requests in work, of calls under way, and of received byte streams,
 *     each for itself
 * @param queued requests that may wait for the activation
 * @param inFlight requests of the client in work
 * @param calls of the server under way
 * @param silence after which a stream counts as dead
 * @param sendTimeout after which a peer that takes nothing is too slow
 * @param lateReply how long the reply to an abandoned call is still expected
 * @param disconnectOnTimeout whether a call that got no receipt in time ends the stream
 * @param unclaimedBytes of byte streams without a receiver, for one and for all of a stream
 * @param unclaimedIds byte streams without a receiver
 * @param unclaimedFor how long bytes wait for a receiver
 * @param pause how long a client may be made to wait for a receiver
 */
record Limits(
        int messageBytes,
        int bufferBytes,
        int queued,
        int inFlight,
        int calls,
        Duration silence,
        Duration sendTimeout,
        Duration lateReply,
        boolean disconnectOnTimeout,
        int unclaimedBytes,
        int unclaimedIds,
        Duration unclaimedFor,
        Duration pause) {
    static Limits configured() {
        return new Limits(
                Setting.STREAM_MESSAGE_BYTES.value(),
                Setting.STREAM_BUFFER_BYTES.value(),
                Setting.STREAM_QUEUED_REQUESTS.value(),
                Setting.STREAM_REQUESTS.value(),
                Setting.STREAM_CALLS.value(),
                Duration.ofSeconds(Setting.STREAM_SILENCE_SECONDS.value()),
                Duration.ofSeconds(Setting.STREAM_SEND_TIMEOUT_SECONDS.value()),
                Duration.ofSeconds(Setting.STREAM_LATE_REPLY_SECONDS.value()),
                Setting.STREAM_DISCONNECT_ON_TIMEOUT.isOn(),
                Setting.STREAM_UNCLAIMED_BYTES.value(),
                Setting.STREAM_UNCLAIMED_IDS.value(),
                Duration.ofSeconds(Setting.STREAM_UNCLAIMED_SECONDS.value()),
                Duration.ofSeconds(Setting.STREAM_PAUSE_SECONDS.value()));
    }
}
