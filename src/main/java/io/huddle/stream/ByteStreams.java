package io.huddle.stream;

import io.huddle.web.Refusal;
import io.huddle.wire.ByteStreamOperation;
import io.huddle.wire.ServerMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The byte streams of one connection, both ways. Safe for use by any thread; operations of the client come from one thread
 * at a time.
 *
 * <p>Bytes without a receiver wait for a while, bounded for one stream, for all of them and in number. Bytes with a
 * receiver that is slower than the client make the reading of the socket wait, which the client feels as backpressure; the
 * wait is bounded, and so is the number of connections that may wait on a node, since each holds a thread.
 */
final class ByteStreams {
    private static final long REMEMBERED = TimeUnit.SECONDS.toNanos(60);
    private static final int MOST_REMEMBERED = 65_536;
    private static final int REASON_LENGTH = 1_024;

    /** Why byte streams end with their connection. */
    static final String DISCONNECTED = Refusal.CLIENT_DISCONNECTED.slug();

    /** Reading pauses at this part of the buffer, so that a call waits behind little of it, and goes on at half of that. */
    private static final int PAUSE_AT_PART = 8;

    private static final int GO_ON_AT_PART = 2;

    private final ClientStream stream;
    private final Services services;
    private final Limits limits;
    private final Map<Integer, Receiving> receiving = new HashMap<>(4);
    private final Map<Integer, ByteSender> sending = new HashMap<>(4);
    private final Map<Integer, Past> past = new LinkedHashMap<>();
    private int lastSender;
    private long unclaimedBytes;
    private int unclaimed;
    private long buffered;
    private boolean ended;

    /**
     * An id that is over.
     *
     * @param byClient whether the client knows, so that it may not write on it any more
     */
    private record Past(long at, boolean byClient) {}

    ByteStreams(ClientStream stream, Services services) {
        this.stream = stream;
        this.services = services;
        this.limits = services.limits();
    }

    synchronized ByteSender open() {
        if (ended) {
            throw new StreamError("the connection has ended", false);
        }
        if (sending.size() >= limits.unclaimedIds()) {
            services.metrics().hit("byte-streams");
            throw new StreamError("backpressure", false);
        }
        lastSender += 2;
        ByteSender sender = new ByteSender(lastSender, stream, this);
        sending.put(sender.id(), sender);
        return sender;
    }

    ByteSource.BreakOff attach(int id, ByteReceiver receiver) {
        Receiving one;
        synchronized (this) {
            if (ended) {
                throw new StreamError("the connection has ended", false);
            }
            Receiving known = receiving.get(id);
            if (id <= 0 || id % 2 == 0 || (known == null && past.containsKey(id))) {
                throw new StreamError("invalid-request: streamId is no open byte stream of the client", true);
            }
            if (known == null && receiving.size() >= limits.unclaimedIds()) {
                services.metrics().hit("byte-streams");
                throw new StreamError("backpressure", true);
            }
            one = known == null ? new Receiving(id, this) : known;
            if (!one.claim(receiver)) {
                throw new StreamError("invalid-request: the byte stream has a receiver", true);
            }
            if (known == null) {
                receiving.put(id, one);
            } else {
                unclaimed--;
                unclaimedBytes -= one.bytes();
                buffered += one.bytes();
            }
        }
        Receiving attached = one;
        attached.deliver();
        return reason -> destroy(attached, reason);
    }

    /** @throws Violation if the operation makes no sense or is one id too many */
    void take(ByteStreamOperation operation) {
        int id = operation.getStreamId();
        if (id <= 0) {
            throw Violation.malformed("ids of byte streams are positive");
        }
        switch (operation.getOperationCase()) {
            case WRITE -> write(id, operation.getWrite().getChunk().asReadOnlyByteBuffer());
            case FINISH -> finish(id);
            case DESTROY ->
                destroyed(
                        id,
                        operation.getDestroy().hasError()
                                ? shortened(operation.getDestroy().getError())
                                : null);
            case OPERATION_NOT_SET -> throw Violation.malformed("a byte stream operation without an operation");
        }
    }

    private static String shortened(String reason) {
        return reason.length() <= REASON_LENGTH ? reason : reason.substring(0, REASON_LENGTH);
    }

    private void write(int id, ByteBuffer chunk) {
        Receiving one = receiver(id);
        if (one == null) {
            return;
        }
        int size = Receiving.weight(chunk);
        boolean claimed;
        boolean over = false;
        synchronized (this) {
            claimed = one.isClaimed();
            if (claimed) {
                buffered += size;
            } else {
                unclaimedBytes += size;
                over = unclaimedBytes > limits.unclaimedBytes() || one.bytes() + size > limits.unclaimedBytes();
            }
            one.add(chunk);
        }
        if (over) {
            services.metrics().hit("unclaimed-bytes");
            destroy(one, "no receiver took the bytes");
        } else if (claimed) {
            one.deliver();
            holdBack(one);
        }
    }

    private void finish(int id) {
        Receiving one = receiver(id);
        if (one != null) {
            one.finish();
            synchronized (this) {
                remember(id, true);
            }
            one.deliver();
        }
    }

    /** The byte stream of an odd id, new if it has to be; null if it is over and the client cannot know yet. */
    private synchronized @Nullable Receiving receiver(int id) {
        if (id % 2 == 0) {
            throw Violation.malformed("a client writes on odd ids");
        }
        Past over = past.get(id);
        if (over != null) {
            if (over.byClient()) {
                throw Violation.malformed("an operation on a byte stream that is over");
            }
            return null;
        }
        Receiving one = receiving.get(id);
        if (one == null) {
            if (unclaimed >= limits.unclaimedIds()) {
                throw Violation.over("byte-stream-ids", "too many byte streams without a receiver");
            }
            one = new Receiving(id, this);
            receiving.put(id, one);
            unclaimed++;
        }
        return one;
    }

    private void destroyed(int id, @Nullable String reason) {
        if (id % 2 == 0) {
            ByteSender sender;
            synchronized (this) {
                if (id > lastSender) {
                    throw Violation.malformed("no byte stream of the server has this id");
                }
                sender = sending.remove(id);
            }
            if (sender != null) {
                sender.broken(reason);
            }
            return;
        }
        Receiving one;
        synchronized (this) {
            one = receiving.get(id);
            remember(id, true);
            if (one != null) {
                letGo(one, reason);
            }
        }
        if (one != null) {
            one.deliver();
        }
    }

    /** The server breaks it off; the client is told and what it sent meanwhile is ignored. Idempotent. */
    void destroy(Receiving one, @Nullable String reason) {
        synchronized (this) {
            if (receiving.get(one.id()) != one || one.isBroken()) {
                return;
            }
            if (!past.containsKey(one.id())) {
                remember(one.id(), false);
            }
            letGo(one, reason);
        }
        stream.send(ServerMessage.newBuilder()
                .setByteStreamOperation(
                        ByteStreamOperation.newBuilder().setStreamId(one.id()).setDestroy(ByteSender.destroyed(reason)))
                .build());
        one.deliver();
    }

    /** Drops what waits of it; the caller holds the lock. */
    private void letGo(Receiving one, @Nullable String reason) {
        boolean claimed = one.isClaimed();
        long freed = one.destroy(reason);
        if (claimed) {
            buffered -= freed;
        } else {
            unclaimedBytes -= freed;
            unclaimed--;
            receiving.remove(one.id());
        }
        notifyAll();
    }

    /** A receiver has taken bytes. */
    synchronized void freed(long bytes) {
        buffered -= bytes;
        notifyAll();
    }

    /** The receiver knows that it is over. */
    synchronized void over(Receiving one) {
        receiving.remove(one.id(), one);
    }

    synchronized void sent(ByteSender sender) {
        sending.remove(sender.id(), sender);
    }

    /** Makes the reading of the socket wait while too much is buffered. */
    private void holdBack(Receiving one) {
        long high = limits.bufferBytes() / PAUSE_AT_PART;
        synchronized (this) {
            if (buffered <= high) {
                return;
            }
        }
        boolean mayWait = services.pauses().tryAcquire();
        try {
            boolean eased = mayWait ? awaitEase(high / GO_ON_AT_PART) : isWithin(limits.bufferBytes());
            if (!eased) {
                services.metrics().hit(mayWait ? "byte-stream-pause" : "byte-stream-buffer");
                destroy(one, "the receiver is too slow");
            }
        } finally {
            if (mayWait) {
                services.pauses().release();
            }
        }
    }

    private synchronized boolean isWithin(long most) {
        return buffered <= most;
    }

    private synchronized boolean awaitEase(long low) {
        long end = System.nanoTime() + limits.pause().toNanos();
        try {
            while (buffered > low && !ended) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            return true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Breaks off what no receiver took in time, and forgets what is long over. */
    void tidy(long now) {
        List<Receiving> late = new ArrayList<>(0);
        synchronized (this) {
            for (Receiving one : receiving.values()) {
                if (!one.isClaimed()
                        && now - one.since() > limits.unclaimedFor().toNanos()) {
                    late.add(one);
                }
            }
            past.values().removeIf(over -> now - over.at() > REMEMBERED);
        }
        for (Receiving one : late) {
            services.metrics().hit("unclaimed-time");
            destroy(one, "no receiver took the bytes in time");
        }
    }

    private void remember(int id, boolean byClient) {
        if (past.size() >= MOST_REMEMBERED) {
            Iterator<Integer> oldest = past.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        past.put(id, new Past(System.nanoTime(), byClient));
    }

    /** The stream is revoked: every byte stream is broken off. Idempotent. */
    void end() {
        List<Receiving> open;
        List<ByteSender> senders;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            open = new ArrayList<>(receiving.values());
            open.forEach(one -> letGo(one, DISCONNECTED));
            senders = new ArrayList<>(sending.values());
            sending.clear();
            past.clear();
            notifyAll();
        }
        open.forEach(Receiving::deliver);
        senders.forEach(sender -> sender.broken(DISCONNECTED));
    }
}
