package io.huddle.client;

import com.google.protobuf.Message;
import io.huddle.client.HuddleFailure.Reason;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of one connection that wait for their answers. For any thread; answers are given on the executor. */
final class Calls {
    private final Executor executor;
    private final Timers timers;

    /** By request id; guarded by this, as is all below. */
    private final Map<Long, Call> pending = new HashMap<>();

    /** Given up, with the {@link System#nanoTime} of that, oldest first. */
    private final Map<Long, Long> abandoned = new LinkedHashMap<>();

    private long lastId;
    private long bytes;
    private boolean dead;

    Calls(Executor executor, Timers timers) {
        this.executor = executor;
        this.timers = timers;
    }

    /** Calls through {@code send}, which says whether it took the frame. */
    CompletableFuture<Message> call(
            Methods.Method method, Message request, Duration deadline, Function<Frame, Boolean> send) {
        Call call;
        synchronized (this) {
            if (dead) {
                return CompletableFuture.failedFuture(new HuddleFailure(Reason.NOT_CONNECTED));
            }
            call = new Call(++lastId, method, request);
            if (call.size() > Limits.MESSAGE_BYTES) {
                return CompletableFuture.failedFuture(new HuddleFailure(Reason.TOO_LARGE));
            }
            if (pending.size() >= Limits.CALLS || bytes + call.size() > Limits.CALL_BYTES) {
                return CompletableFuture.failedFuture(new HuddleFailure(Reason.BACKPRESSURE));
            }
            pending.put(call.id, call);
            bytes += call.size();
        }
        call.timer = timers.after(deadline, () -> expire(call));
        // Who stops waiting frees the place.
        var unused = call.answer.whenComplete((message, failed) -> abandon(call));
        if (!send.apply(call) && remove(call.id) != null) {
            call.fail(new HuddleFailure(isDead() ? Reason.NOT_CONNECTED : Reason.BACKPRESSURE));
        }
        return call.answer;
    }

    /** False if no call waits for this answer and none was given up lately. */
    boolean answer(ServerMessage message) {
        Long id = id(message.getRequestId());
        Call call = id == null ? null : remove(id);
        if (call == null) {
            return id != null && wasAbandoned(id);
        }
        if (message.hasError()) {
            call.fail(new RemoteError(message.getError(), message.getUserError()));
            return true;
        }
        if (message.getBodyCase().getNumber() != call.method.number()) {
            call.fail(new HuddleFailure(Reason.DELIVERY_INDETERMINATE));
            return false;
        }
        Message answer = (Message) message.getField(call.method.response());
        call.finish(() -> call.answer.complete(answer));
        return true;
    }

    /** Whether this id was ever used: a receipt that is late or comes twice does no harm. */
    synchronized boolean isKnown(String requestId) {
        Long id = id(requestId);
        return id != null && id >= 1 && id <= lastId;
    }

    /** Every call ends: those that the socket has begun with may have been done, the others were not. */
    void end() {
        List<Call> all;
        synchronized (this) {
            dead = true;
            all = new ArrayList<>(pending.values());
            pending.clear();
            bytes = 0;
        }
        for (Call call : all) {
            call.fail(new HuddleFailure(call.sent ? Reason.DELIVERY_INDETERMINATE : Reason.NOT_CONNECTED));
        }
    }

    private void expire(Call call) {
        if (abandon(call)) {
            call.fail(new HuddleFailure(Reason.DEADLINE_EXCEEDED));
        }
    }

    private boolean abandon(Call call) {
        long now = System.nanoTime();
        synchronized (this) {
            if (remove(call.id) == null) {
                return false;
            }
            abandoned.put(call.id, now);
            Iterator<Long> oldest = abandoned.values().iterator();
            while (oldest.hasNext()
                    && (abandoned.size() > Limits.ABANDONED || now - oldest.next() > Limits.ABANDONED_FOR.toNanos())) {
                oldest.remove();
            }
        }
        call.stopTimer();
        return true;
    }

    private synchronized boolean wasAbandoned(long id) {
        Long since = abandoned.remove(id);
        return since != null && System.nanoTime() - since <= Limits.ABANDONED_FOR.toNanos();
    }

    private synchronized @Nullable Call remove(long id) {
        Call call = pending.remove(id);
        if (call != null) {
            bytes -= call.size();
        }
        return call;
    }

    private synchronized boolean isDead() {
        return dead;
    }

    private synchronized boolean isPending(long id) {
        return pending.containsKey(id);
    }

    private static @Nullable Long id(String requestId) {
        try {
            return Long.valueOf(requestId);
        } catch (NumberFormatException notOurs) {
            return null;
        }
    }

    /** One call, from its encoding to its end. */
    private final class Call extends Frame {
        final long id;
        final Methods.Method method;
        final CompletableFuture<Message> answer = new CompletableFuture<>();
        volatile boolean sent;
        volatile @Nullable Future<?> timer;

        Call(long id, Methods.Method method, Message request) {
            super(ClientMessage.newBuilder()
                    .setRequestId(Long.toString(id))
                    .setField(method.request(), request)
                    .build());
            this.id = id;
            this.method = method;
        }

        /** A call that was given up before its turn is not sent. */
        @Override
        boolean starts() {
            sent = isPending(id);
            return sent;
        }

        void fail(HuddleException failure) {
            finish(() -> answer.completeExceptionally(failure));
        }

        void finish(Runnable completion) {
            stopTimer();
            executor.execute(completion);
        }

        void stopTimer() {
            Future<?> running = timer;
            if (running != null) {
                running.cancel(false);
            }
        }
    }
}
