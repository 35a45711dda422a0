package io.huddle.link;

/** What is counted of links: a metric and the one label that tells its kinds apart, from closed sets. */
enum Measured {
    CALL_OK("huddle_mesh_calls", "result", "ok"),
    CALL_REMOTE("huddle_mesh_calls", "result", "remote"),
    CALL_NOT_SENT("huddle_mesh_calls", "result", "not-sent"),
    CALL_NOT_SENT_IN_TIME("huddle_mesh_calls", "result", "not-sent-in-time"),
    CALL_BACKPRESSURE("huddle_mesh_calls", "result", "backpressure"),
    CALL_INDETERMINATE("huddle_mesh_calls", "result", "indeterminate"),
    SERVED("huddle_mesh_served", "result", "answered"),
    SERVED_REPEATED("huddle_mesh_served", "result", "repeated"),
    SERVED_LATE("huddle_mesh_served", "result", "late"),
    SERVED_OVERLOADED("huddle_mesh_served", "result", "overloaded"),
    BYTES_IN("huddle_mesh_bytes", "direction", "in"),
    BYTES_OUT("huddle_mesh_bytes", "direction", "out"),
    FULL_BUFFER("huddle_mesh_backpressure", "bound", "buffer"),
    FULL_CALLS("huddle_mesh_backpressure", "bound", "calls"),
    FULL_PEERS("huddle_mesh_backpressure", "bound", "peers"),
    FULL_STREAMS("huddle_mesh_backpressure", "bound", "streams"),
    ENDED("huddle_mesh_links_ended", "cause", "closed"),
    ENDED_LOST("huddle_mesh_links_ended", "cause", "lost"),
    ENDED_SILENT("huddle_mesh_links_ended", "cause", "silent"),
    ENDED_BROKEN("huddle_mesh_links_ended", "cause", "broken"),
    HANDSHAKE_ACCEPTED("huddle_mesh_handshakes", "result", "accepted"),
    HANDSHAKE_FORBIDDEN("huddle_mesh_handshakes", "result", "forbidden"),
    HANDSHAKE_FULL("huddle_mesh_handshakes", "result", "full");

    private final String metric;
    private final String label;
    private final String value;

    Measured(String metric, String label, String value) {
        this.metric = metric;
        this.label = label;
        this.value = value;
    }

    String metric() {
        return metric;
    }

    String label() {
        return label;
    }

    String value() {
        return value;
    }

    static Measured of(LinkFailed.Reason reason) {
        return switch (reason) {
            case NOT_SENT -> CALL_NOT_SENT;
            case NOT_SENT_IN_TIME -> CALL_NOT_SENT_IN_TIME;
            case BACKPRESSURE -> CALL_BACKPRESSURE;
            case INDETERMINATE -> CALL_INDETERMINATE;
            case REMOTE -> CALL_REMOTE;
        };
    }

    /** Adds to what was counted. */
    @FunctionalInterface
    interface Tally {
        void add(Measured what, long count);

        default void add(Measured what) {
            add(what, 1);
        }
    }
}
