package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.Feed;
import io.huddle.event.RoomEvent;
import io.huddle.event.Subscriber;
import io.huddle.presence.EventReader.Portion;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.web.JsonShapes;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One live subscription over server-sent events: reads the database from where the reader stands, writes one event at a
 * time, ends when the reader is gone, too slow, or its token has run out.
 */
final class LiveEvents implements Subscriber {
    private final String room;
    private final Instant expires;
    private final SseEventSink sink;
    private final Sse sse;
    private final EventReader reader;
    private final EventMetrics metrics;
    private final int sendTimeout = Setting.EVENT_SEND_TIMEOUT_SECONDS.value();
    private volatile long position;
    private volatile boolean greeted;
    private volatile Feed.@Nullable Subscription subscription;
    private volatile @Nullable ScheduledFuture<?> keepAlive;
    private volatile @Nullable CompletableFuture<Void> sending;

    LiveEvents(
            String room,
            long position,
            Instant expires,
            SseEventSink sink,
            Sse sse,
            EventReader reader,
            EventMetrics metrics) {
        this.room = room;
        this.position = position;
        this.expires = expires;
        this.sink = sink;
        this.sse = sse;
        this.reader = reader;
        this.metrics = metrics;
    }

    void start(Feed feed, ManagedScheduledExecutorService scheduler) {
        int every = Setting.EVENT_KEEP_ALIVE_SECONDS.value();
        Feed.Subscription mine = feed.subscribe(room, this);
        subscription = mine;
        keepAlive = scheduler.scheduleWithFixedDelay(this::beat, every, every, TimeUnit.SECONDS);
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public CompletionStage<Void> deliver() {
        if (sink.isClosed()) {
            return ended(new IllegalStateException("the reader is gone"));
        }
        return greet().thenCompose(done -> deliverNext())
                .handle((done, failed) -> {
                    if (failed == null || isPassing(failed)) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return ended(failed);
                })
                .thenCompose(stage -> stage);
    }

    @Override
    public void end() {
        var unused = ended(new IllegalStateException("the node stops"));
    }

    /** A first comment at once, so that the reader knows it is connected. */
    private CompletionStage<Void> greet() {
        if (greeted) {
            return CompletableFuture.completedFuture(null);
        }
        greeted = true;
        return send(sse.newEventBuilder().comment("connected").build());
    }

    private CompletionStage<Void> deliverNext() {
        Portion portion;
        try {
            portion = reader.after(room, position);
        } catch (SQLException failed) {
            return CompletableFuture.failedFuture(failed);
        }
        RosterJson snapshot = portion.snapshot();
        return snapshot != null ? sendSnapshot(snapshot) : sendAll(portion);
    }

    private CompletionStage<Void> sendAll(Portion portion) {
        CompletionStage<Void> sent = CompletableFuture.completedFuture(null);
        for (RoomEvent event : portion.events()) {
            sent = sent.thenCompose(done -> send(outbound(event))).thenAccept(done -> {
                position = event.seq();
                metrics.delivered(delay(event));
            });
        }
        return portion.isFull() ? sent.thenCompose(done -> deliverNext()) : sent;
    }

    private Duration delay(RoomEvent event) {
        return Duration.between(event.at(), Instant.now());
    }

    private CompletionStage<Void> sendSnapshot(RosterJson snapshot) {
        OutboundSseEvent event = sse.newEventBuilder()
                .name("snapshot")
                .id(Long.toString(snapshot.seq()))
                .data(JsonShapes.json(snapshot))
                .build();
        return send(event).thenRun(() -> position = snapshot.seq());
    }

    private OutboundSseEvent outbound(RoomEvent event) {
        return sse.newEventBuilder()
                .id(Long.toString(event.seq()))
                .data(JsonShapes.json(event))
                .build();
    }

    private CompletionStage<Void> send(OutboundSseEvent event) {
        CompletableFuture<Void> sent;
        try {
            sent = sink.send(event)
                    .<Void>thenApply(done -> null)
                    .toCompletableFuture()
                    .orTimeout(sendTimeout, TimeUnit.SECONDS);
        } catch (IllegalStateException closedMeanwhile) {
            sent = CompletableFuture.failedFuture(closedMeanwhile);
        }
        sending = sent;
        return sent;
    }

    /** Finds readers that are gone without a goodbye, and ends those whose token has run out. */
    private void beat() {
        if (sink.isClosed() || Instant.now().isAfter(expires)) {
            var unused = ended(new IllegalStateException("the reader is gone or its token has run out"));
            return;
        }
        CompletableFuture<Void> last = sending;
        if (last == null || last.isDone()) {
            send(sse.newEventBuilder().comment("keep-alive").build()).whenComplete((done, failed) -> {
                if (failed != null) {
                    var unused = ended(failed);
                }
            });
        }
    }

    /** While the database is away the reader stays connected; the next poll that finds something tells it. */
    private static boolean isPassing(Throwable failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        return cause instanceof DatabaseUnavailable;
    }

    private CompletableFuture<Void> ended(Throwable why) {
        Feed.Subscription mine = subscription;
        if (mine != null) {
            mine.end();
        }
        ScheduledFuture<?> beating = keepAlive;
        if (beating != null) {
            beating.cancel(false);
        }
        sink.close();
        return CompletableFuture.failedFuture(why);
    }
}
