package io.huddle.client;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** When to try again. Pure. */
final class Backoff {
    private static final int DOUBLINGS = 20;
    private static final Duration LONGEST_TOLD = Duration.ofMinutes(5);
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern AFTER = Pattern.compile("after (\\d{1,9}) ms");

    private Backoff() {}

    /**
     * Doubles with each failure, up to the last, and takes between half and all of that, so that clients which lost their
     * node together do not come back together.
     *
     * @param failures in a row, before this retry
     * @param chance uniform in [0, 1)
     */
    static Duration delay(Timing timing, int failures, double chance) {
        long first = timing.firstRetry().toMillis();
        long most = Math.min(timing.lastRetry().toMillis(), first << Math.min(failures, DOUBLINGS));
        return Duration.ofMillis(Math.round(most / 2.0 + most / 2.0 * chance));
    }

    /** The delay in milliseconds that the server asks for with an end: a draining node, or one that has no room yet. */
    static OptionalLong told(HuddleFailure end) {
        return switch (end.reason()) {
            case DRAINING -> number(NUMBER.matcher(end.detail()), 0);
            case NO_CAPACITY -> number(AFTER.matcher(end.detail()), 1);
            default -> OptionalLong.empty();
        };
    }

    private static OptionalLong number(Matcher found, int group) {
        return found.find()
                ? OptionalLong.of(Math.min(Long.parseLong(found.group(group)), LONGEST_TOLD.toMillis()))
                : OptionalLong.empty();
    }
}
