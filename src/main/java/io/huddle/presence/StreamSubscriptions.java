package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.Feed;
import io.huddle.setting.Setting;
import io.huddle.stream.CallFailed;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Handles;
import io.huddle.stream.StreamEnded;
import io.huddle.web.Refused;
import io.huddle.wire.USubscribeRequest;
import io.huddle.wire.USubscribeResponse;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The rooms that each stream of this node follows, at most one subscription a room. A second one for the same room takes
 * the first one's place; all end with the stream. Safe for use by any thread.
 */
@ApplicationScoped
public class StreamSubscriptions {
    private final int most = Setting.EVENT_ROOMS_A_STREAM.value();

    /** By connection, then by room; an inner map is its own lock. */
    private final Map<String, Map<String, StreamEvents>> streams = new ConcurrentHashMap<>();

    @Inject
    private StreamRights rights;

    @Inject
    private SessionRates rates;

    @Inject
    private Rosters rosters;

    @Inject
    private EventReader reader;

    @Inject
    private Feed feed;

    @Inject
    private EventMetrics events;

    @Inject
    private SessionStreamMetrics metrics;

    @Inject
    private StreamFailures failures;

    @Resource
    private ManagedExecutorService executor;

    private record Opened(USubscribeResponse answer, StreamEvents events) {}

    /** The answer is a snapshot; it is on its way before the first {@code dEvents}. Does not block. */
    @Handles(value = "uSubscribe", blocking = false)
    public CompletionStage<USubscribeResponse> subscribe(ClientStream stream, USubscribeRequest request) {
        CompletableFuture<USubscribeResponse> answer = new CompletableFuture<>();
        try {
            executor.execute(() -> subscribe(stream, request, answer));
        } catch (RejectedExecutionException full) {
            answer.completeExceptionally(failures.of(full));
        }
        return answer;
    }

    private void subscribe(
            ClientStream stream, USubscribeRequest request, CompletableFuture<USubscribeResponse> answer) {
        try {
            Opened opened = open(stream, request);
            answer.complete(opened.answer());
            opened.events().open();
        } catch (SQLException | RuntimeException failed) {
            answer.completeExceptionally(failures.of(failed));
        }
    }

    private Opened open(ClientStream stream, USubscribeRequest request) throws SQLException {
        rates.command(stream.clientId());
        String room = request.getRoom();
        rights.read(stream, room);
        RosterJson snapshot = rosters.snapshot(room);
        long from = request.hasAfter() ? Integer.toUnsignedLong(request.getAfter()) : snapshot.seq();
        StreamEvents live = new StreamEvents(stream, room, from, reader, events, metrics, executor);
        add(stream, room, live);
        USubscribeResponse answer = USubscribeResponse.newBuilder()
                .setSnapshot(WireShapes.roster(snapshot))
                .setSeq(WireShapes.uint32(snapshot.seq()))
                .build();
        return new Opened(answer, live);
    }

    private void add(ClientStream stream, String room, StreamEvents live) {
        Map<String, StreamEvents> rooms = streams.computeIfAbsent(stream.connectionId(), id -> new HashMap<>());
        StreamEvents before;
        synchronized (rooms) {
            if (rooms.size() >= most && !rooms.containsKey(room)) {
                throw Refused.invalid("a stream follows at most " + most + " rooms");
            }
            live.enter(feed);
            before = rooms.put(room, live);
        }
        if (before != null) {
            before.end();
        }
        if (stream.isDead()) {
            // It ended meanwhile, perhaps before this subscription was there to be ended.
            endAll(stream);
            throw new CallFailed(CallFailed.Reason.DISCONNECTED);
        }
    }

    void ended(@Observes StreamEnded gone) {
        endAll(gone.stream());
    }

    private void endAll(ClientStream stream) {
        @Nullable Map<String, StreamEvents> rooms = streams.remove(stream.connectionId());
        if (rooms != null) {
            synchronized (rooms) {
                rooms.values().forEach(StreamEvents::end);
            }
        }
    }
}
