package io.huddle.stream;

import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.eclipse.microprofile.metrics.Counter;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.eclipse.microprofile.metrics.MetricUnits;
import org.eclipse.microprofile.metrics.Tag;

/** What the streams of this node count. Labels are closed sets, never an id. Safe for use by any thread. */
@ApplicationScoped
public class StreamMetrics {
    private static final Metadata STREAMS = described("huddle_streams", "Connected client streams of this node.");
    private static final Metadata PENDING =
            described("huddle_stream_pending_handshakes", "Handshakes and activations under way on this node.");
    private static final Metadata CLOSES = described("huddle_stream_closes", "Streams that ended, by cause.");
    private static final Metadata HANDSHAKES =
            described("huddle_stream_handshakes", "Handshakes, by the HTTP status that they were answered with.");
    private static final Metadata LIMITS =
            described("huddle_stream_limit_hits", "How often a stream came to a limit, by limit.");
    private static final Metadata REQUESTS =
            described("huddle_stream_requests", "Requests of clients, by method and outcome.");

    /** Looking a counter up by its labels costs more than most requests do; there are a few dozen of these. */
    private final ConcurrentMap<Answered, Counter> requests = new ConcurrentHashMap<>();

    private final ConcurrentMap<CloseCause, Counter> closes = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, Counter> handshakes = new ConcurrentHashMap<>();

    @Inject
    private MetricRegistry registry;

    private record Answered(String method, String outcome) {}

    /** What has not happened yet is counted as zero, so that the first one is seen as an increase. */
    void start(@Observes DatabaseReady ready) {
        for (CloseCause cause : CloseCause.values()) {
            closes(cause);
        }
    }

    void gauge(Codec codec, Supplier<Number> count) {
        registry.gauge(STREAMS, count, new Tag("codec", codec.wire()));
    }

    void pending(Supplier<Number> count) {
        registry.gauge(PENDING, count);
    }

    void closed(CloseCause cause) {
        closes(cause).inc();
    }

    private Counter closes(CloseCause cause) {
        return closes.computeIfAbsent(cause, one -> registry.counter(CLOSES, new Tag("cause", one.wire())));
    }

    void handshake(int status) {
        handshakes
                .computeIfAbsent(status, one -> registry.counter(HANDSHAKES, new Tag("status", Integer.toString(one))))
                .inc();
    }

    /** @param limit from a closed set */
    void hit(String limit) {
        registry.counter(LIMITS, new Tag("limit", limit)).inc();
    }

    /** @param method a prefix of the wire, or {@code unknown} */
    void request(String method, String outcome) {
        Answered kind = new Answered(method, outcome);
        Counter known = requests.get(kind);
        if (known == null) {
            known = registry.counter(REQUESTS, new Tag("method", method), new Tag("outcome", outcome));
            requests.put(kind, known);
        }
        known.inc();
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder()
                .withName(name)
                .withDescription(description)
                .withUnit(MetricUnits.NONE)
                .build();
    }
}
