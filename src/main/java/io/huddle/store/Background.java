package io.huddle.store;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Work that every node repeats for as long as it runs. Safe for use by any thread.
 *
 * <p>A run that fails is followed by the next one, which finds the same work. A dead database is told by readiness and not
 * by a line a run; a defect is logged each time.
 */
@ApplicationScoped
public class Background {
    private static final Logger LOG = Logger.getLogger(Background.class.getName());

    private final Queue<ScheduledFuture<?>> schedules = new ConcurrentLinkedQueue<>();

    @Resource
    private ManagedScheduledExecutorService scheduler;

    /** One run of the work. */
    @FunctionalInterface
    public interface Work {
        void run() throws SQLException;
    }

    /**
     * Repeats the work until the application stops.
     *
     * @param what names it in the log
     * @param first how long to wait before the first run
     * @param pause between the end of a run and the next
     */
    public void repeat(String what, Duration first, Duration pause, Work work) {
        schedules.add(scheduler.scheduleWithFixedDelay(
                () -> run(what, work), first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS));
    }

    @PreDestroy
    void stop() {
        schedules.forEach(schedule -> schedule.cancel(false));
    }

    private static void run(String what, Work work) {
        try {
            work.run();
        } catch (SQLException | RuntimeException failed) {
            Level level = Failure.of(failed) == Failure.DEFECT ? Level.SEVERE : Level.FINE;
            LOG.log(level, what + " failed; the next run follows", failed);
        }
    }
}
