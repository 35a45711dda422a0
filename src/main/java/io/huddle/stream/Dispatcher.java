package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.huddle.store.Failure;
import io.huddle.web.Causes;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.Traces;
import io.huddle.wire.ServerMessage;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handlers of requests and turns what they throw into errors. Safe for use by any thread.
 *
 * <p>A handler that may block runs on the server's executor, the others on the thread that read the frame.
 */
@ApplicationScoped
public class Dispatcher {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());

    @Inject
    private Handlers handlers;

    @Inject
    private Traces traces;

    @Resource
    private ManagedExecutorService executor;

    private volatile Map<Integer, Handlers.Handler> known = Map.of();

    /** How a request ended: with a response, or with an error. */
    record Outcome(
            @Nullable FieldDescriptor field, @Nullable Message response, String error, boolean userError) {
        static Outcome failed(String error, boolean userError) {
            return new Outcome(null, null, error, userError);
        }

        static Outcome of(FieldDescriptor field, Message response) {
            return new Outcome(field, response, "", false);
        }

        /** For metrics: {@code ok}, {@code refused} or {@code failed}. */
        String name() {
            if (field != null) {
                return "ok";
            }
            return userError ? "refused" : "failed";
        }
    }

    /** Looks the handlers up; before the first stream. */
    void prepare() {
        known = handlers.find();
    }

    void run(ClientStream stream, Requests.Request request, BiConsumer<Requests.Request, Outcome> answer) {
        FieldDescriptor body = request.body();
        Handlers.Handler handler = body == null || !Methods.isRequest(body) ? null : known.get(body.getNumber());
        if (body == null || handler == null) {
            answer.accept(request, Outcome.failed("unknown-method", true));
            return;
        }
        Runnable work = () -> invoke(stream, request, handler, body, answer);
        String trace = request.message().hasTrace() ? traceId(request) : null;
        Runnable traced = trace == null ? work : () -> traces.resume(trace, work);
        if (!handler.blocking()) {
            traced.run();
            return;
        }
        try {
            executor.execute(traced);
        } catch (RejectedExecutionException full) {
            LOG.log(Level.FINE, "the executor takes no more", full);
            answer.accept(request, Outcome.failed(Refusal.UNAVAILABLE.slug(), false));
        }
    }

    private static @Nullable String traceId(Requests.Request request) {
        String id = request.message().getTrace().getTraceId();
        return id.matches("(?!0{32})[0-9a-f]{32}") ? id : null;
    }

    private static void invoke(
            ClientStream stream,
            Requests.Request request,
            Handlers.Handler handler,
            FieldDescriptor body,
            BiConsumer<Requests.Request, Outcome> answer) {
        FieldDescriptor response = Methods.response(ServerMessage.getDescriptor(), body.getNumber());
        try {
            Object result = handler.invoke(stream, (Message) request.message().getField(body));
            if (result instanceof CompletionStage<?> stage) {
                stage.whenComplete((message, failed) -> answer.accept(
                        request,
                        failed == null
                                ? outcome(response, message, stream, request)
                                : failure(failed, stream, request)));
            } else {
                answer.accept(request, outcome(response, result, stream, request));
            }
        } catch (Throwable thrown) {
            answer.accept(request, failure(thrown, stream, request));
        }
    }

    private static Outcome outcome(
            FieldDescriptor field, @Nullable Object result, ClientStream stream, Requests.Request request) {
        if (result instanceof Message message && message.getDescriptorForType().equals(field.getMessageType())) {
            return Outcome.of(field, message);
        }
        return failure(new IllegalStateException("the handler gave no " + field.getJsonName()), stream, request);
    }

    private static Outcome failure(Throwable thrown, ClientStream stream, Requests.Request request) {
        Throwable cause = Causes.of(thrown);
        if (cause instanceof StreamError error) {
            return Outcome.failed(String.valueOf(error.getMessage()), error.isUserError());
        }
        if (cause instanceof Refused refused) {
            return refusal(refused);
        }
        if (Failure.of(cause) != Failure.DEFECT) {
            LOG.log(Level.FINE, "a request failed for want of the database", cause);
            return Outcome.failed(Refusal.UNAVAILABLE.slug(), false);
        }
        FieldDescriptor body = request.body();
        LOG.log(
                Level.SEVERE,
                "a request failed: client " + stream.clientId() + ", stream " + stream.connectionId() + ", request "
                        + Quoted.of(request.id()) + ", type " + (body == null ? "unknown" : body.getJsonName()),
                cause);
        return Outcome.failed(Refusal.INTERNAL_ERROR.slug(), false);
    }

    private static Outcome refusal(Refused refused) {
        Refusal refusal = refused.refusal();
        String text = refusal == Refusal.INVALID_REQUEST ? refusal.slug() + ": " + refused.detail() : refusal.slug();
        return Outcome.failed(text, refusal.status() < 500);
    }
}
