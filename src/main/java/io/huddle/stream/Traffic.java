package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.huddle.setting.Setting;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The traffic log, for finding out what a client does: off unless it is switched on; the types of messages, and their
 * bodies only by a second switch, since they may hold what must not be kept. Also tells the observers of messages, if
 * there are any. Safe for use by any thread.
 */
@ApplicationScoped
public class Traffic {
    private static final Logger LOG = Logger.getLogger(Traffic.class.getName());

    private final boolean logs = Setting.STREAM_TRAFFIC_LOG.isOn();
    private final boolean bodies = logs && Setting.STREAM_TRAFFIC_BODIES.isOn();

    @Inject
    Event<MessagePassed> passed;

    @Inject
    BeanManager beans;

    /** Whether anybody observes messages; looked up with the first one. */
    private volatile @Nullable Boolean observed;

    private boolean isObserved(ClientStream stream) {
        Boolean known = observed;
        if (known == null) {
            known = !beans.resolveObserverMethods(new MessagePassed(stream, true, "", null))
                    .isEmpty();
            observed = known;
        }
        return known;
    }

    void in(ClientStream stream, ClientMessage message, @Nullable FieldDescriptor body) {
        if (logs || isObserved(stream)) {
            String type = type(message.hasError(), body);
            log(stream, "from", type, message.getRequestId(), message);
            tell(new MessagePassed(stream, true, type, idOrNull(message.getRequestId())));
        }
    }

    void out(ClientStream stream, ServerMessage message) {
        if (logs || isObserved(stream)) {
            int number = message.getBodyCase().getNumber();
            FieldDescriptor body =
                    number == 0 ? null : ServerMessage.getDescriptor().findFieldByNumber(number);
            String type = type(message.hasError(), body);
            log(stream, "to", type, message.getRequestId(), message);
            tell(new MessagePassed(stream, false, type, idOrNull(message.getRequestId())));
        }
    }

    private void tell(MessagePassed message) {
        if (isObserved(message.stream())) {
            try {
                passed.fire(message);
            } catch (RuntimeException failed) {
                LOG.log(Level.SEVERE, "an observer of messages failed", failed);
            }
        }
    }

    private void log(ClientStream stream, String direction, String type, String requestId, Message message) {
        if (logs) {
            LOG.log(Level.INFO, "stream {0} {1} client {2}: {3} {4}{5}", new Object[] {
                stream.connectionId(),
                direction,
                Quoted.of(stream.clientId()),
                type,
                Quoted.of(requestId),
                bodies ? " " + TextFormat.printer().emittingSingleLine(true).printToString(message) : ""
            });
        }
    }

    private static String type(boolean error, @Nullable FieldDescriptor body) {
        if (body != null) {
            return body.getJsonName();
        }
        return error ? "error" : "unknown";
    }

    private static @Nullable String idOrNull(String id) {
        return id.isEmpty() ? null : id;
    }
}
