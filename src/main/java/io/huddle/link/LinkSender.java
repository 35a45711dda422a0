package io.huddle.link;

import com.google.protobuf.ByteString;
import io.huddle.link.wire.Header;
import io.huddle.link.wire.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * This node's end of a stream of bytes to another node. Safe for use by any thread; nothing blocks.
 *
 * <p>Bytes may be written from the beginning; they wait until the peer has taken the stream, and from then on as far as the
 * peer lets them come. It ends once: taken to the last byte, or broken off by either side, or with the link.
 */
public final class LinkSender {
    private static final int CHUNK_BYTES = 65_536;

    private final int most;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private @Nullable Link link;
    private long id;
    private long credit;
    private long waitingBytes;
    private boolean finishing;
    private boolean finished;
    private boolean over;
    private @Nullable String unwanted;

    private boolean pumping;

    private record Waiting(ByteString bytes, CompletableFuture<Void> taken) {}

    private record Step(Link at, Frame frame, @Nullable CompletableFuture<Void> taken) {}

    /** @param most bytes that may wait here; a single write may be larger */
    LinkSender(int most) {
        this.most = most;
    }

    /**
     * Sends bytes after those before.
     *
     * @return completes when the last of them is on its way, which is when to write more; exceptionally a
     *     {@link LinkFailed} if the stream has ended or ends before. Whoever writes on without waiting comes to the bound,
     *     which breaks the stream off
     */
    public CompletionStage<Void> write(ByteString bytes) {
        CompletableFuture<Void> taken = new CompletableFuture<>();
        boolean isTooMuch;
        synchronized (this) {
            if (over || finishing) {
                return CompletableFuture.failedStage(
                        new LinkFailed(LinkFailed.Reason.NOT_SENT, "the stream has ended"));
            }
            isTooMuch = waitingBytes > 0 && waitingBytes + bytes.size() > most;
            if (!isTooMuch) {
                waiting.add(new Waiting(bytes, taken));
                waitingBytes += bytes.size();
            }
        }
        if (isTooMuch) {
            destroy("too many bytes wait");
            return CompletableFuture.failedStage(
                    new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "too many bytes wait for the stream"));
        }
        pump();
        return taken;
    }

    /** No more bytes follow. */
    public void finish() {
        synchronized (this) {
            finishing = true;
        }
        pump();
    }

    /** Breaks the stream off; what waits is dropped. */
    public void destroy(@Nullable String reason) {
        Link at;
        synchronized (this) {
            at = over ? null : link;
            if (!over) {
                unwanted = reason;
            }
        }
        if (at != null) {
            at.destroyed(id, reason);
        }
        end(new LinkFailed(LinkFailed.Reason.INDETERMINATE, "the stream was broken off here"));
    }

    /** Completes when the peer has taken the last byte; exceptionally a {@link LinkFailed} if the stream ended otherwise. */
    public CompletionStage<Void> ended() {
        return Told.of(ended);
    }

    /** The peer has taken the stream. */
    void opened(Link at, long number, long window) {
        boolean isUnwanted;
        String reason;
        synchronized (this) {
            isUnwanted = over;
            reason = unwanted;
            link = at;
            id = number;
            credit = window;
        }
        if (isUnwanted) {
            at.destroyed(number, reason);
        } else {
            pump();
        }
    }

    void credited(long bytes) {
        synchronized (this) {
            credit += bytes;
        }
        pump();
    }

    /** The peer has taken all. */
    void taken() {
        boolean isAll;
        synchronized (this) {
            isAll = finished;
        }
        if (isAll) {
            end(null);
        } else {
            end(new LinkFailed(LinkFailed.Reason.INDETERMINATE, "the peer ended the stream before its end"));
        }
    }

    /** The stream has ended, well or not. */
    void end(@Nullable LinkFailed failure) {
        List<Waiting> dropped;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            dropped = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        LinkFailed why = failure == null ? new LinkFailed(LinkFailed.Reason.NOT_SENT, "the stream has ended") : failure;
        dropped.forEach(each -> each.taken().completeExceptionally(why));
        if (failure == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(failure);
        }
    }

    /** Sends what may be sent; one thread at a time, without the lock, so that the order stays. */
    private void pump() {
        synchronized (this) {
            if (pumping) {
                return;
            }
            pumping = true;
        }
        Step next = next();
        while (next != null) {
            next.at().bulk(next.frame());
            if (next.taken() != null) {
                next.taken().complete(null);
            }
            next = next();
        }
    }

    /** The next frame and what has been taken with it, null if there is none now; then the pump is off. */
    private synchronized @Nullable Step next() {
        Link at = link;
        Waiting first = waiting.peek();
        if (at != null && !over && first != null && credit > 0) {
            return chunk(at, first);
        }
        if (at != null && !over && first == null && finishing && !finished) {
            finished = true;
            return new Step(
                    at, Frame.of(Header.newBuilder().setKind(Kind.FINISH).setId(id)), null);
        }
        pumping = false;
        return null;
    }

    /** As much of the first that waits as one chunk and the credit hold. */
    private Step chunk(Link at, Waiting first) {
        waiting.remove();
        int size = (int) Math.min(Math.min(first.bytes().size(), CHUNK_BYTES), credit);
        Frame frame = new Frame(
                Header.newBuilder().setKind(Kind.CHUNK).setId(id).build(),
                first.bytes().substring(0, size));
        credit -= size;
        waitingBytes -= size;
        if (size == first.bytes().size()) {
            return new Step(at, frame, first.taken());
        }
        waiting.addFirst(new Waiting(first.bytes().substring(size), first.taken()));
        return new Step(at, frame, null);
    }
}
