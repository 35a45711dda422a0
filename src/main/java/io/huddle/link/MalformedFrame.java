package io.huddle.link;

/** The peer sent what is no frame, or one that is too large: the link is of no more use. */
final class MalformedFrame extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedFrame(String message) {
        super(message, null, false, false);
    }
}
