package io.huddle.stream;

/**
 * Fired, synchronously and in the order of priority, once a stream is registered and before it is public. An observer may
 * take its time; one that throws ends the stream before anybody saw it: with a {@link Rejected} by its cause, otherwise
 * as out of capacity.
 */
public record ClientConnecting(ClientStream stream) {
    /** Thrown by an observer that does not want the stream. */
    public static final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final CloseCause cause;

        public Rejected(CloseCause cause, String reason) {
            super(reason, null, false, false);
            this.cause = cause;
        }

        public CloseCause cause() {
            return cause;
        }
    }
}
