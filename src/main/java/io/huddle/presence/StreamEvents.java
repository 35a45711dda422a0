package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.Feed;
import io.huddle.event.RoomEvent;
import io.huddle.event.Subscriber;
import io.huddle.presence.EventReader.Portion;
import io.huddle.setting.Setting;
import io.huddle.store.Failure;
import io.huddle.stream.CallFailed;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.web.Causes;
import io.huddle.wire.DEventsResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One room followed over a client's stream: reads the database from where the client stands, calls {@code dEvents} with
 * one portion at a time, moves on to what the client acknowledged.
 *
 * <p>At least once: what was not acknowledged is sent again. A client is never left behind in silence: one that does not
 * acknowledge loses its stream and knows that it has to subscribe again.
 */
final class StreamEvents implements Subscriber {
    private static final Logger LOG = Logger.getLogger(StreamEvents.class.getName());

    /** Deliveries in a row without progress; they are at least the feed's polling interval apart. */
    private static final int FUTILE = 3;

    private final ClientStream stream;
    private final String room;
    private final EventReader reader;
    private final EventMetrics events;
    private final SessionStreamMetrics metrics;
    private final Executor executor;
    private final Duration patience = Duration.ofSeconds(Setting.EVENT_ACK_TIMEOUT_SECONDS.value());
    private volatile long position;
    private volatile boolean open;
    private volatile boolean ended;
    private volatile Feed.@Nullable Subscription subscription;

    private final AtomicInteger futile = new AtomicInteger();

    StreamEvents(
            ClientStream stream,
            String room,
            long position,
            EventReader reader,
            EventMetrics events,
            SessionStreamMetrics metrics,
            Executor executor) {
        this.stream = stream;
        this.room = room;
        this.position = position;
        this.reader = reader;
        this.events = events;
        this.metrics = metrics;
        this.executor = executor;
    }

    /** @throws io.huddle.web.Refused {@code unavailable} if this node has as many live readers as it may have */
    void enter(Feed feed) {
        subscription = feed.subscribe(room, this);
    }

    /** Delivers from now on: once the answer to the subscribing call is on its way. */
    void open() {
        open = true;
        Feed.Subscription mine = subscription;
        if (mine != null) {
            mine.hint();
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public CompletionStage<Void> deliver() {
        if (isOver()) {
            return over();
        }
        return open ? next() : CompletableFuture.completedFuture(null);
    }

    /** Takes the reader out; the stream itself is not touched. */
    @Override
    public void end() {
        ended = true;
        Feed.Subscription mine = subscription;
        if (mine != null) {
            mine.end();
        }
    }

    private boolean isOver() {
        return ended || stream.isDead();
    }

    private CompletionStage<Void> next() {
        try {
            Portion portion = reader.after(room, position);
            if (portion.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            // The answer comes on a thread of the network, and the next portion is read from the database.
            return stream.call(WireShapes.events(room, portion), DEventsResponse.class, patience)
                    .handleAsync(
                            (answer, failed) -> failed == null
                                    ? acknowledged(portion, Integer.toUnsignedLong(answer.getSeq()))
                                    : unacknowledged(failed),
                            executor)
                    .thenCompose(Function.identity());
        } catch (SQLException | RuntimeException failed) {
            return failedToRead(failed);
        }
    }

    private CompletionStage<Void> acknowledged(Portion portion, long seq) {
        if (isOver()) {
            return over();
        }
        if (seq > portion.last()) {
            stream.close(CloseCause.BAD_ARGUMENT, "dEvents acknowledged more than was sent");
            return over();
        }
        boolean isProgress = seq > position || seq == portion.last();
        count(portion, seq);
        position = seq;
        if (!isProgress) {
            return futile(CloseCause.BAD_ARGUMENT, "dEvents acknowledged nothing new");
        }
        futile.set(0);
        return portion.isFull() || seq < portion.last() ? next() : CompletableFuture.completedFuture(null);
    }

    private void count(Portion portion, long seq) {
        Instant now = Instant.now();
        for (RoomEvent event : portion.events()) {
            if (event.seq() > position && event.seq() <= seq) {
                events.delivered(Duration.between(event.at(), now));
            }
        }
    }

    private CompletionStage<Void> unacknowledged(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (isOver()) {
            return over();
        }
        if (!(cause instanceof CallFailed call)) {
            return futile(CloseCause.BAD_ARGUMENT, "dEvents was answered with an error");
        }
        return switch (call.reason()) {
            case DISCONNECTED -> over();
            // Nothing was sent; the next poll finds that the client is behind.
            case BACKPRESSURE -> CompletableFuture.completedFuture(null);
            case TOO_LARGE -> futile(CloseCause.NO_CAPACITY, "dEvents is larger than a message may be");
            case DEADLINE_EXCEEDED, DELIVERY_INDETERMINATE ->
                futile(CloseCause.TIMEOUT, "dEvents was not acknowledged");
        };
    }

    /** The next poll tries again, a few times. */
    private CompletionStage<Void> futile(CloseCause cause, String reason) {
        metrics.unacknowledged();
        if (futile.incrementAndGet() >= FUTILE) {
            stream.close(cause, reason);
            return over();
        }
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> failedToRead(Throwable failed) {
        if (Failure.of(failed) != Failure.DEFECT) {
            // The client stays; the poll that finds something once the database is back tells it.
            return CompletableFuture.completedFuture(null);
        }
        LOG.log(Level.SEVERE, "events for a stream could not be read", failed);
        stream.close(CloseCause.NO_CAPACITY, "subscribe again");
        return over();
    }

    private CompletionStage<Void> over() {
        end();
        return CompletableFuture.completedFuture(null);
    }
}
