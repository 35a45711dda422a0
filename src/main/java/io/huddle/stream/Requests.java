package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.huddle.wire.ClientMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's requests: those that wait for the activation and those in work, both bounded in number and bytes. Safe for
 * use by any thread.
 *
 * <p>After the activation the waiting ones run in their order, as many at a time as may be in work; until the last of them
 * has begun, new ones queue behind them.
 */
final class Requests {
    /** A receipt is due when the answer takes longer; the client gives it three seconds. */
    private static final long RECEIPT_DUE = TimeUnit.SECONDS.toNanos(1);

    private final ClientStream stream;
    private final Limits limits;
    private final Map<String, Request> inWork = new HashMap<>(4);
    private @Nullable Queue<Request> waiting;
    private long bytes;
    private long waitingBytes;
    private boolean open;
    private boolean ended;

    /** A request as it came. */
    static final class Request {
        private final ClientMessage message;
        private final @Nullable FieldDescriptor body;
        private final int bytes;
        private long begun;
        private boolean receipted;

        Request(ClientMessage message, @Nullable FieldDescriptor body, int bytes) {
            this.message = message;
            this.body = body;
            this.bytes = bytes;
        }

        String id() {
            return message.getRequestId();
        }

        ClientMessage message() {
            return message;
        }

        /** The field that holds the request; null if this release does not know what it is. */
        @Nullable
        FieldDescriptor body() {
            return body;
        }
    }

    Requests(ClientStream stream, Limits limits) {
        this.stream = stream;
        this.limits = limits;
    }

    /** @throws Violation past a limit, or if a request of this id is in work */
    void take(Request request) {
        synchronized (this) {
            if (ended) {
                return;
            }
            if (inWork.containsKey(request.id())) {
                throw Violation.malformed("the id of a request that is in work");
            }
            if (!open) {
                queue(request);
                return;
            }
            begin(request);
        }
        stream.dispatch(request);
    }

    private void queue(Request request) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        if (waiting.size() >= limits.queued() || waitingBytes + request.bytes > limits.bufferBytes()) {
            throw Violation.over("queued-requests", "too many requests before the stream was connected");
        }
        waiting.add(request);
        waitingBytes += request.bytes;
    }

    private void begin(Request request) {
        if (inWork.size() >= limits.inFlight() || bytes + request.bytes > limits.bufferBytes()) {
            throw Violation.over("requests", "more requests in work than a stream may have");
        }
        request.begun = System.nanoTime();
        inWork.put(request.id(), request);
        bytes += request.bytes;
    }

    /** The stream is public: what waited runs. */
    void open() {
        drain();
    }

    private void drain() {
        while (true) {
            Request next;
            synchronized (this) {
                if (open || ended) {
                    return;
                }
                Queue<Request> all = waiting;
                next = all == null ? null : all.peek();
                if (all == null || next == null) {
                    open = true;
                    waiting = null;
                    return;
                }
                if (inWork.size() >= limits.inFlight() || bytes + next.bytes > limits.bufferBytes()) {
                    return;
                }
                all.remove();
                waitingBytes -= next.bytes;
                begin(next);
            }
            stream.dispatch(next);
        }
    }

    /** The request is answered; true if its answer is still wanted. */
    boolean finish(Request request) {
        boolean wanted;
        boolean more;
        synchronized (this) {
            wanted = inWork.remove(request.id(), request);
            if (wanted) {
                bytes -= request.bytes;
            }
            more = !open && waiting != null && stream.isPublic();
        }
        if (more) {
            drain();
        }
        return wanted;
    }

    /** The ids of requests that are due a receipt; each is named once. */
    List<String> receiptsDue(long now) {
        List<String> due = new ArrayList<>(0);
        synchronized (this) {
            for (Request request : inWork.values()) {
                if (!request.receipted && now - request.begun >= RECEIPT_DUE) {
                    request.receipted = true;
                    due.add(request.id());
                }
            }
        }
        return due;
    }

    /** The stream is revoked: what waits is dropped, what is in work cannot answer. */
    synchronized void end() {
        ended = true;
        waiting = null;
        inWork.clear();
        bytes = 0;
    }
}
