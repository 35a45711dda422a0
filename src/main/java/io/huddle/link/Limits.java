package io.huddle.link;

import io.huddle.setting.Setting;
import java.time.Duration;

/**
 * The bounds of links. Immutable.
 *
 * @param peers nodes linked to at a time
 * @param frameBytes of one body
 * @param bufferBytes that may wait to be written to one link
 * @param calls under way to one peer
 * @param inboundCalls of all peers under way here
 * @param inboundBytes that those may take
 * @param connectNanos how long a call waits for a new link
 * @param pingNanos between two pings
 * @param missedPings unanswered ones after which a link is dead
 * @param idleNanos without work, after which a link is closed
 * @param rememberedNanos how long an answer is kept
 * @param rememberedBytes that the kept answers of a link may take
 * @param windowBytes of a stream that may be under way to its reader
 * @param streams of bytes under way on a link, each way
 */
record Limits(
        int peers,
        int frameBytes,
        int bufferBytes,
        int calls,
        int inboundCalls,
        int inboundBytes,
        long connectNanos,
        long pingNanos,
        int missedPings,
        long idleNanos,
        long rememberedNanos,
        int rememberedBytes,
        int windowBytes,
        int streams) {

    static Limits configured() {
        return new Limits(
                Setting.MESH_PEERS.value(),
                Setting.MESH_FRAME_BYTES.value(),
                Setting.MESH_BUFFER_BYTES.value(),
                Setting.MESH_CALLS.value(),
                Setting.MESH_INBOUND_CALLS.value(),
                Setting.MESH_INBOUND_BYTES.value(),
                Duration.ofMillis(Setting.MESH_CONNECT_MS.value()).toNanos(),
                Duration.ofMillis(Setting.MESH_PING_MS.value()).toNanos(),
                Setting.MESH_MISSED_PINGS.value(),
                Duration.ofSeconds(Setting.MESH_IDLE_SECONDS.value()).toNanos(),
                Duration.ofSeconds(Setting.MESH_REMEMBERED_SECONDS.value()).toNanos(),
                Setting.MESH_REMEMBERED_BYTES.value(),
                Setting.MESH_WINDOW_BYTES.value(),
                Setting.MESH_STREAMS.value());
    }
}
