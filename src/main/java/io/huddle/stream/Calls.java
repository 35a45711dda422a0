package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server's calls to one client: matched by request id, bounded in number and bytes, each with a deadline. Safe for use
 * by any thread.
 *
 * <p>An id is answered once. The reply to a call that was given up is expected for a while and then unknown; an unknown id
 * ends the stream. Request ids count upwards, so that a late receipt is told from an invented one without remembering.
 */
final class Calls {
    private static final int ABANDONED = 4_096;
    /** A call with a shorter budget says nothing about whether the client lives. */
    private static final long JUDGED_MS = 3_000;

    private final ClientStream stream;
    private final Limits limits;
    private final Map<String, Call> underWay = new HashMap<>(4);
    private final Map<String, Long> abandoned = new LinkedHashMap<>(0);
    private long bytes;
    private long last;
    private boolean ended;

    private static final class Call {
        private final String id;
        private final long budgetMs;
        private final FieldDescriptor response;
        private final Frame frame;
        private final CompletableFuture<Message> answer = new CompletableFuture<>();
        private final CompletableFuture<Boolean> timer = new CompletableFuture<>();
        private volatile boolean receipt;

        private Call(String id, long budgetMs, FieldDescriptor response, Frame frame) {
            this.id = id;
            this.budgetMs = budgetMs;
            this.response = response;
            this.frame = frame;
        }
    }

    Calls(ClientStream stream, Limits limits) {
        this.stream = stream;
        this.limits = limits;
    }

    CompletableFuture<Message> start(ServerMessage.Builder envelope, Message request, Duration deadline) {
        FieldDescriptor field = Methods.serverRequest(request);
        FieldDescriptor response = Methods.response(ClientMessage.getDescriptor(), field.getNumber());
        String id;
        synchronized (this) {
            id = Long.toString(++last);
        }
        ServerMessage message =
                envelope.setRequestId(id).setField(field, request).build();
        Call call = new Call(id, deadline.toMillis(), response, stream.encode(message));
        if (call.frame.bytes() > limits.messageBytes()) {
            return CompletableFuture.failedFuture(new CallFailed(CallFailed.Reason.TOO_LARGE));
        }
        CallFailed.Reason refused = admit(call);
        if (refused != null) {
            return CompletableFuture.failedFuture(new CallFailed(refused));
        }
        if (!stream.send(call.frame, message)) {
            finish(call);
            boolean dead = stream.isDead();
            return CompletableFuture.failedFuture(
                    new CallFailed(dead ? CallFailed.Reason.DISCONNECTED : CallFailed.Reason.BACKPRESSURE));
        }
        var unused = call.timer
                .completeOnTimeout(Boolean.TRUE, call.budgetMs, TimeUnit.MILLISECONDS)
                .thenAccept(passed -> expire(call));
        return call.answer;
    }

    private synchronized CallFailed.@Nullable Reason admit(Call call) {
        if (ended) {
            return CallFailed.Reason.DISCONNECTED;
        }
        if (underWay.size() >= limits.calls() || bytes + call.frame.bytes() > limits.bufferBytes()) {
            stream.metrics().hit("calls");
            return CallFailed.Reason.BACKPRESSURE;
        }
        underWay.put(call.id, call);
        bytes += call.frame.bytes();
        return null;
    }

    /** @throws Violation if nobody asked for this reply */
    void reply(ClientMessage message, @Nullable FieldDescriptor body) {
        Call call;
        synchronized (this) {
            call = underWay.get(message.getRequestId());
            if (call == null && abandoned.remove(message.getRequestId()) != null) {
                return;
            }
        }
        if (call == null) {
            throw Violation.malformed("a reply to no request");
        }
        if (message.hasError()) {
            if (finish(call)) {
                call.answer.completeExceptionally(new StreamError(message.getError(), message.getUserError()));
            }
        } else if (call.response.equals(body)) {
            if (finish(call)) {
                call.answer.complete((Message) message.getField(call.response));
            }
        } else {
            throw Violation.malformed("a reply of another type than the request");
        }
    }

    /** @throws Violation if no such request was ever sent */
    void receipt(ClientMessage message) {
        if (message.getReply() || message.hasError() || message.hasUserError() || message.hasTrace()) {
            throw Violation.malformed("a receipt holds the request id and nothing else");
        }
        String id = message.getRequestId();
        synchronized (this) {
            Call call = underWay.get(id);
            if (call != null) {
                call.receipt = true;
                return;
            }
            if (!isOfThePast(id)) {
                throw Violation.malformed("a receipt of no request");
            }
        }
    }

    private boolean isOfThePast(String id) {
        if (id.isEmpty()
                || id.length() > 18
                || id.charAt(0) == '0'
                || !id.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return false;
        }
        return Long.parseLong(id) <= last;
    }

    private void expire(Call call) {
        if (stream.withdraw(call.frame)) {
            if (finish(call)) {
                call.answer.completeExceptionally(new CallFailed(CallFailed.Reason.DEADLINE_EXCEEDED));
            }
            return;
        }
        boolean mine;
        synchronized (this) {
            mine = underWay.remove(call.id, call);
            if (mine) {
                bytes -= call.frame.bytes();
                remember(call.id);
            }
        }
        if (!mine) {
            return;
        }
        boolean judged = limits.disconnectOnTimeout() && stream.handshake().protocol() >= 4;
        if (judged && call.budgetMs > JUDGED_MS && !call.receipt) {
            stream.close(CloseCause.TIMEOUT, "no receipt of a request in time");
        }
        call.answer.completeExceptionally(new CallFailed(CallFailed.Reason.DELIVERY_INDETERMINATE));
    }

    private void remember(String id) {
        long now = System.nanoTime();
        Iterator<Long> oldest = abandoned.values().iterator();
        while (oldest.hasNext()) {
            if (now - oldest.next() < limits.lateReply().toNanos() && abandoned.size() < ABANDONED) {
                break;
            }
            oldest.remove();
        }
        abandoned.put(id, now);
    }

    private boolean finish(Call call) {
        synchronized (this) {
            if (!underWay.remove(call.id, call)) {
                return false;
            }
            bytes -= call.frame.bytes();
        }
        call.timer.cancel(false);
        return true;
    }

    /** Forgets abandoned calls whose reply is expected no more. */
    synchronized void tidy(long now) {
        abandoned.values().removeIf(at -> now - at >= limits.lateReply().toNanos());
    }

    /** The stream is revoked: what was sent may have been done. */
    void end() {
        List<Call> open;
        synchronized (this) {
            ended = true;
            open = new ArrayList<>(underWay.values());
            underWay.clear();
            abandoned.clear();
            bytes = 0;
        }
        for (Call call : open) {
            call.timer.cancel(false);
            boolean unsent = stream.withdraw(call.frame);
            call.answer.completeExceptionally(
                    new CallFailed(unsent ? CallFailed.Reason.DISCONNECTED : CallFailed.Reason.DELIVERY_INDETERMINATE));
        }
    }
}
