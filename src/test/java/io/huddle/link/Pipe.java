package io.huddle.link;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two sockets that are connected to each other in memory, in order like TCP, which can stop carrying in either direction
 * or break. Messages arrive in parts that were cut anywhere, on a thread for each direction.
 */
final class Pipe {
    private final Half left = new Half();
    private final Half right = new Half();
    private volatile boolean broken;
    private volatile int closeCode;

    /** What one end writes, until the other end has it. */
    final class Half {
        private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "pipe");
            made.setDaemon(true);
            return made;
        });
        private final Deque<Runnable> held = new ArrayDeque<>();
        private boolean stalled;
        private volatile boolean swallowing;
        private volatile @Nullable Link reader;

        void send(ByteBuffer message, Consumer<@Nullable Throwable> done) {
            byte[] bytes = new byte[message.remaining()];
            message.get(bytes);
            if (swallowing) {
                thread.execute(() -> done.accept(null));
                carry(() -> deliver(bytes));
                return;
            }
            carry(() -> {
                done.accept(broken ? new IllegalStateException("broken") : null);
                deliver(bytes);
            });
        }

        /** A stalled half keeps what was written and tells the writer nothing, like a peer that does not read. */
        private void carry(Runnable work) {
            synchronized (held) {
                if (stalled) {
                    held.add(work);
                } else {
                    thread.execute(work);
                }
            }
        }

        private void deliver(byte[] bytes) {
            Link to = reader;
            int cut = bytes.length < 2
                    ? bytes.length
                    : ThreadLocalRandom.current().nextInt(bytes.length);
            if (to != null && !broken) {
                to.receive(ByteBuffer.wrap(bytes, 0, cut));
                to.receive(ByteBuffer.wrap(bytes, cut, bytes.length - cut));
            }
        }

        /** Nothing arrives any more, and the writer does not notice: its own system still takes what it writes. */
        void swallow() {
            swallowing = true;
            stall();
        }

        void stall() {
            synchronized (held) {
                stalled = true;
            }
        }

        /** True if something waits to be carried. */
        boolean holds() {
            synchronized (held) {
                return !held.isEmpty();
            }
        }

        void mend() {
            swallowing = false;
            synchronized (held) {
                stalled = false;
                held.forEach(thread::execute);
                held.clear();
            }
        }
    }

    Half left() {
        return left;
    }

    Half right() {
        return right;
    }

    /** Says who reads at the ends: the left one reads what the right one writes. */
    void connect(Link atLeft, Link atRight) {
        right.reader = atLeft;
        left.reader = atRight;
    }

    /** Resets the connection; both ends learn it. */
    void cut() {
        broken = true;
        lost();
    }

    /** The code that either end closed with, zero before. */
    int closeCode() {
        return closeCode;
    }

    /** An orderly close: what was written before still arrives. */
    void close(int code, Half by) {
        if (closeCode == 0) {
            closeCode = code;
        }
        Half other = by.equals(left) ? right : left;
        by.carry(() -> {
            Link reader = by.reader;
            Link writer = other.reader;
            if (reader != null) {
                reader.lost();
            }
            if (writer != null) {
                writer.lost();
            }
        });
    }

    private void lost() {
        Link one = left.reader;
        Link other = right.reader;
        if (one != null) {
            one.lost();
        }
        if (other != null) {
            other.lost();
        }
    }
}
