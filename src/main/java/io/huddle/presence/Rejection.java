package io.huddle.presence;

import io.huddle.web.Refusal;
import io.huddle.web.Refused;

/** A command on a session that the rules refused, with what the log and the counters need to know of it. */
final class Rejection extends Refused {
    private static final long serialVersionUID = 1L;

    private final String command;
    private final String room;
    private final String session;
    private final long currentGeneration;
    private final boolean synthetic;

    Rejection(
            Refusal refusal,
            String detail,
            String command,
            String room,
            String session,
            long currentGeneration,
            boolean synthetic) {
        super(refusal, detail);
        this.command = command;
        this.room = room;
        this.session = session;
        this.currentGeneration = currentGeneration;
        this.synthetic = synthetic;
    }

    String command() {
        return command;
    }

    String room() {
        return room;
    }

    String session() {
        return session;
    }

    long currentGeneration() {
        return currentGeneration;
    }

    /** True if its room is left out of what is counted. */
    boolean isSynthetic() {
        return synthetic;
    }
}
