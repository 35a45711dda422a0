package io.huddle.drift;

import java.time.Duration;
import java.util.Locale;

/** What becomes of a message after a try. Pure. */
enum Settlement {
    DELIVERED,
    RETRIED,
    GIVEN_UP;

    private static final int GONE = 410;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
    private static final int MOST_DOUBLINGS = 10;

    /** The name in SQL and metrics. */
    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Any 2xx is an acceptance. A redirect is a failure like any other: followed, it would lead where nobody checked.
     *
     * @param status of the answer, 0 if there was none
     * @param tries so far, this one counted
     */
    static Settlement of(int status, int tries, int mostTries) {
        if (status >= 200 && status < 300) {
            return DELIVERED;
        }
        return status == GONE || tries >= mostTries ? GIVEN_UP : RETRIED;
    }

    /** Twice as long after each failed try. */
    static Duration pause(int tries) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(tries - 1, MOST_DOUBLINGS));
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
}
