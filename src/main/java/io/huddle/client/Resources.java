package io.huddle.client;

import java.net.http.HttpClient;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What many clients share: sockets and threads. */
record Resources(HttpClient http, Executor executor, Timers timers) {
    private static final long IDLE_SECONDS = 30;

    /** Of all clients that were given none: one selector thread, and threads for callbacks that end when idle. */
    static Resources shared() {
        return Shared.RESOURCES;
    }

    /**
     * Threads come as callbacks need them, since a handler may block, for instance in a call whose answer needs a thread,
     * too. There are at most as many as handlers and answers that the limits allow to be under way.
     */
    private static final class Shared {
        static final Resources RESOURCES = create();

        private static Resources create() {
            Executor threads = new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), Shared::daemon);
            return new Resources(HttpClient.newHttpClient(), threads, new Timers(threads, null));
        }

        private static Thread daemon(Runnable task) {
            Thread thread = new Thread(task, "huddle-client");
            thread.setDaemon(true);
            return thread;
        }
    }
}
