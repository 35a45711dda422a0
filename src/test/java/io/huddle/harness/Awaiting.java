package io.huddle.harness;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ThrowingRunnable;

/** Waiting for a condition with a deadline, asked every 50 ms: the only way a test may let time pass. */
public final class Awaiting {
    /** Long enough for a loaded machine of two cores, short enough that a hung test is noticed. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(50);

    private Awaiting() {}

    /** Waits {@link #PATIENCE} at most until the condition holds; {@code what} is named when it never does. */
    public static void until(String what, Callable<Boolean> condition) {
        until(PATIENCE, what, condition);
    }

    /** Waits {@code deadline} at most until the condition holds; an exception of the condition fails the test. */
    public static void until(Duration deadline, String what, Callable<Boolean> condition) {
        within(deadline, what).until(condition);
    }

    /** Waits until a value satisfies the predicate, and answers that value. */
    public static <T> T value(Duration deadline, String what, Callable<T> value, Predicate<? super T> wanted) {
        return within(deadline, what).until(value, wanted);
    }

    /** Waits until the assertions pass; the last failure is reported when they never do. */
    public static void asserted(Duration deadline, ThrowingRunnable assertions) {
        within(deadline, "assertions").untilAsserted(assertions);
    }

    /** As {@link #asserted(Duration, ThrowingRunnable)} with {@link #PATIENCE}. */
    public static void asserted(ThrowingRunnable assertions) {
        asserted(PATIENCE, assertions);
    }

    /** Watches that a condition holds all the time: how a test shows that something does not happen. */
    public static void holds(Duration during, String what, Callable<Boolean> condition) {
        within(during.plus(PATIENCE), what)
                .during(during)
                .failFast(what, () -> !condition.call())
                .until(condition);
    }

    private static ConditionFactory within(Duration deadline, String what) {
        return within(deadline, POLL, what);
    }

    static ConditionFactory within(Duration deadline, Duration poll, String what) {
        return Awaitility.await(what)
                .pollDelay(Duration.ZERO)
                .pollInterval(poll)
                .atMost(deadline);
    }
}
