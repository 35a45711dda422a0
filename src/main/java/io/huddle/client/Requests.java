package io.huddle.client;

import com.google.protobuf.Message;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.RequestAck;
import io.huddle.wire.ServerMessage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's requests on one connection that are not answered yet. Handlers of one method are started one after another,
 * in the order of arrival; those of different methods do not wait for each other. For any thread.
 */
final class Requests {
    private final Handlers handlers;
    private final Resources resources;
    private final Timing timing;
    private final Consumer<ClientMessage> send;

    /** By request id; guarded by this, as is all below. */
    private final Map<String, Request> running = new HashMap<>();

    private final Map<Integer, Sequence> sequences = new HashMap<>();
    private long bytes;
    private boolean dead;

    Requests(Handlers handlers, Resources resources, Timing timing, Consumer<ClientMessage> send) {
        this.handlers = handlers;
        this.resources = resources;
        this.timing = timing;
        this.send = send;
    }

    /** @throws BadPeer past a limit, or if the request's id is missing or in use */
    void accept(ServerMessage message, int size) {
        Methods.Method method = Methods.ALL.served(message.getBodyCase().getNumber());
        Handlers.Entry handler = method == null ? null : handlers.find(method.number());
        String id = message.getRequestId();
        if (id.isEmpty()) {
            throw new BadPeer("request without an id");
        }
        if (method == null || handler == null) {
            send.accept(error(id, "unknown-method", false));
            return;
        }
        Request request = new Request(id, method, (Message) message.getField(method.request()), size);
        Sequence sequence;
        synchronized (this) {
            if (dead) {
                return;
            }
            if (running.size() >= Limits.REQUESTS || bytes + size > Limits.REQUEST_BYTES) {
                throw new BadPeer("too many requests at once");
            }
            if (running.putIfAbsent(id, request) != null) {
                throw new BadPeer("request id in use");
            }
            bytes += size;
            sequence = sequences.computeIfAbsent(method.number(), number -> new Sequence(resources.executor()));
        }
        request.receipt = resources.timers().after(timing.receipt(), request::acknowledge);
        sequence.execute(() -> run(request, handler));
    }

    /** Handlers that are still at work cannot answer any more; those that wait do not start. */
    void end() {
        List<Request> all;
        synchronized (this) {
            dead = true;
            all = List.copyOf(running.values());
            running.clear();
            bytes = 0;
        }
        all.forEach(Request::stopTimer);
    }

    // Whatever a handler throws is its defect, and the server must hear that there will be no answer.
    private void run(Request request, Handlers.Entry handler) {
        if (!isRunning(request)) {
            return;
        }
        CompletionStage<? extends Message> answer;
        try {
            answer = handler.handle(request.body);
        } catch (Throwable failed) {
            finish(request, null, failed);
            return;
        }
        if (answer == null) {
            finish(request, null, new NullPointerException("no answer"));
        } else {
            var unused = answer.whenComplete((message, failed) -> finish(request, message, failed));
        }
    }

    private void finish(Request request, @Nullable Message answer, @Nullable Throwable failed) {
        synchronized (this) {
            if (!running.remove(request.id, request)) {
                return;
            }
            bytes -= request.size;
        }
        request.stopTimer();
        send.accept(reply(request, answer, failed));
    }

    private ClientMessage reply(Request request, @Nullable Message answer, @Nullable Throwable failed) {
        Throwable cause = failed == null ? null : HuddleFailure.unwrapped(failed);
        if (cause instanceof RemoteError typed) {
            return error(request.id, typed.error(), typed.isUserError());
        }
        if (cause == null && answer != null && request.method.responseType().isInstance(answer)) {
            ClientMessage reply = ClientMessage.newBuilder()
                    .setRequestId(request.id)
                    .setReply(true)
                    .setField(request.method.response(), answer)
                    .build();
            if (reply.getSerializedSize() <= Limits.MESSAGE_BYTES) {
                return reply;
            }
        }
        handlers.defect(request.method.name(), cause);
        return error(request.id, "internal-error", false);
    }

    private static ClientMessage error(String id, String error, boolean userError) {
        return ClientMessage.newBuilder()
                .setRequestId(id)
                .setReply(true)
                .setError(error)
                .setUserError(userError)
                .build();
    }

    private synchronized boolean isRunning(Request request) {
        return running.get(request.id) == request;
    }

    /** One request, from its arrival to its answer. */
    private final class Request {
        final String id;
        final Methods.Method method;
        final Message body;
        final int size;
        volatile @Nullable Future<?> receipt;

        Request(String id, Methods.Method method, Message body, int size) {
            this.id = id;
            this.method = method;
            this.body = body;
            this.size = size;
        }

        /** The answer takes its time: the server must know that somebody is at it. */
        void acknowledge() {
            if (isRunning(this)) {
                send.accept(ClientMessage.newBuilder()
                        .setRequestId(id)
                        .setRequestAck(RequestAck.getDefaultInstance())
                        .build());
            }
        }

        void stopTimer() {
            Future<?> running = receipt;
            if (running != null) {
                running.cancel(false);
            }
        }
    }
}
