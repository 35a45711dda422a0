package io.huddle.stream;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that close sockets, and nothing else. Safe for use by any thread.
 *
 * <p>The platform's close waits up to five seconds for a frame that is being read and as long for one that is being
 * written. On the server's own threads a handful of clients that read nothing kept everybody else waiting. Sockets that are
 * known to be stuck have threads apart from the others, so that a close frame that somebody waits for does not queue behind
 * them. What waits is bounded by the streams of the node.
 */
final class Closers {
    private static final int PROMPT = 16;
    private static final int STUCK = 48;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor prompt;
    private final ThreadPoolExecutor stuck;

    Closers(ThreadFactory threads) {
        prompt = pool(PROMPT, threads);
        stuck = pool(STUCK, threads);
    }

    private static ThreadPoolExecutor pool(int most, ThreadFactory threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Closes soon. While the server stops, when there are no more threads, the one who asks does it. */
    void close(boolean isStuck, Runnable close) {
        Executor pool = isStuck ? stuck : prompt;
        try {
            pool.execute(close);
        } catch (RejectedExecutionException | IllegalStateException stopping) {
            close.run();
        }
    }

    /** What waits is still closed; nothing new is taken. */
    void stop() {
        prompt.shutdown();
        stuck.shutdown();
    }
}
