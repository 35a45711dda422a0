package io.huddle.client;

import java.time.Duration;

/** The bounds of the stream's protocol as the client keeps them. */
final class Limits {
    static final int MESSAGE_BYTES = 8 << 20;
    static final int OUTGOING_BYTES = 8 << 20;
    static final int CALLS = 128;
    static final int CALL_BYTES = 8 << 20;
    static final int REQUESTS = 128;
    static final int REQUEST_BYTES = 8 << 20;

    /** Ids of calls that were given up, so that a late answer is no fault. Past it the oldest are unknown again. */
    static final int ABANDONED = 4_096;

    static final Duration ABANDONED_FOR = Duration.ofSeconds(60);

    /** Bytes of a byte stream in one message. */
    static final int CHUNK_BYTES = 64 << 10;

    /** Bytes of all byte streams that wait for the socket; writers wait for room. */
    static final int CHUNKS_WAITING_BYTES = 1 << 20;

    /** Bytes that readers have not read; at half of it the client stops reading from the socket. */
    static final int RECEIVED_BYTES = 8 << 20;

    static final int RECEIVERS = 1_024;

    /** Bytes that came before their receiver; at half of it the client stops reading from the socket. */
    static final int EARLY_BYTES = 2 << 20;

    static final int EARLY_RECEIVERS = 1_024;
    static final Duration ENDED_FOR = Duration.ofSeconds(60);
    static final int ENDED = 65_536;
    static final int DESTROY_BYTES = 1_024;
    static final int METADATA_BYTES = 64 << 10;
    static final int CLIENT_ID_BYTES = 1_024;

    private Limits() {}
}
