package io.huddle.link;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to one link: bounded, one message under way at a time, and in each message as many frames as
 * wait. Safe for use by any thread.
 *
 * <p>The platform allows one write at a time per socket and loses others without a word; that is why nothing else may
 * write. Frames are gathered because a write costs far more than a frame. Pings and pongs go first, so that a queue is not
 * taken for a dead peer; of bulk there is one chunk in a message, so that it neither holds up calls nor is held up for
 * ever. A frame is made when it is written and not when it is queued: what is left of its deadline is then true. No lock
 * is held while the socket is written to.
 */
final class Writer {
    /** Enough to make a write worth its cost, little enough that a ping never waits long behind it. */
    private static final int MESSAGE_BYTES = 131_072;

    /** Pings, pongs, credit, small answers past the bound; a peer that makes us owe more than this does not read. */
    private static final int MOST_CONTROL = 16_384;

    private final Wire wire;
    private final int most;
    private final LongSupplier clock;
    private final Measured.Tally tally;

    private final Queue<Item> control = new ArrayDeque<>();
    private final Set<Item> messages = new LinkedHashSet<>();
    private final Queue<Item> bulk = new ArrayDeque<>();
    private long waitingBytes;
    private int corks;
    private boolean pumping;
    private boolean underWay;
    private boolean callsClosed;
    private boolean closed;

    /** The socket. The callback comes once, on any thread, with null if the message was written. */
    @FunctionalInterface
    interface Wire {
        void send(ByteBuffer message, Consumer<@Nullable Throwable> done);
    }

    /** Makes the frame at the moment of its writing; null if it is not wanted any more. */
    @FunctionalInterface
    interface Source {
        @Nullable
        Frame frame(long now);
    }

    /** Told once if a write has failed. */
    @FunctionalInterface
    interface Failing {
        void failed(Throwable why);
    }

    private final Failing failing;

    /** One thing that waits. Its identity is what counts. */
    static final class Item {
        private final int weight;
        private final Source source;
        private final @Nullable Outgoing call;

        Item(int weight, Source source, @Nullable Outgoing call) {
            this.weight = weight;
            this.source = source;
            this.call = call;
        }

        static Item of(Frame frame) {
            return new Item(frame.bytes(), now -> frame, null);
        }

        @Nullable
        Outgoing call() {
            return call;
        }
    }

    /** What became of an offer. */
    enum Offer {
        TAKEN,
        FULL,
        CLOSED
    }

    /** @param most how many bytes may wait, the message under way not counted */
    Writer(Wire wire, int most, LongSupplier clock, Measured.Tally tally, Failing failing) {
        this.wire = wire;
        this.most = most;
        this.clock = clock;
        this.tally = tally;
        this.failing = failing;
    }

    Offer offer(Item item) {
        synchronized (this) {
            if (closed || (callsClosed && item.call != null)) {
                return Offer.CLOSED;
            }
            if (item.call != null && item.call.isOver()) {
                // Whoever ended it may have looked for it here already.
                return Offer.TAKEN;
            }
            if (waitingBytes + item.weight > most) {
                return Offer.FULL;
            }
            messages.add(item);
            waitingBytes += item.weight;
        }
        pump();
        return Offer.TAKEN;
    }

    /** Takes what goes before all else; false if it is closed or the peer does not read. */
    boolean offerControl(Frame frame) {
        synchronized (this) {
            if (closed || control.size() >= MOST_CONTROL) {
                return false;
            }
            control.add(Item.of(frame));
        }
        pump();
        return true;
    }

    /** Takes a chunk, whose sender is held back by its credit: it does not count against the bound. */
    boolean offerBulk(Item item) {
        synchronized (this) {
            if (closed) {
                return false;
            }
            bulk.add(item);
        }
        pump();
        return true;
    }

    /** Takes a thing back, if it still waits. */
    synchronized void withdraw(Item item) {
        if (messages.remove(item)) {
            waitingBytes -= item.weight;
        }
    }

    /** Takes no more calls, and gives back those that wait, in their order. */
    synchronized List<Outgoing> closeCalls() {
        callsClosed = true;
        List<Outgoing> waiting = new ArrayList<>();
        Iterator<Item> all = messages.iterator();
        while (all.hasNext()) {
            Item item = all.next();
            if (item.call != null) {
                waiting.add(item.call);
                waitingBytes -= item.weight;
                all.remove();
            }
        }
        return waiting;
    }

    /** Takes nothing any more, and drops what waits. */
    synchronized void close() {
        closed = true;
        control.clear();
        messages.clear();
        bulk.clear();
        waitingBytes = 0;
    }

    synchronized boolean isIdle() {
        return !underWay && control.isEmpty() && messages.isEmpty() && bulk.isEmpty();
    }

    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /** Holds writing back, so that many answers to one message go out together; until uncorked as many times. */
    synchronized void cork() {
        corks++;
    }

    void uncork() {
        synchronized (this) {
            corks--;
        }
        pump();
    }

    /** Starts what can be started. A callback that comes inside {@code send} does not start the next one itself. */
    private void pump() {
        synchronized (this) {
            if (pumping) {
                return;
            }
            pumping = true;
        }
        List<Item> next = begin();
        while (next != null) {
            write(next);
            next = begin();
        }
    }

    /** The items of the next message, null if there is none to be written now; then the pump is off. */
    private synchronized @Nullable List<Item> begin() {
        if (underWay || corks > 0 || (control.isEmpty() && messages.isEmpty() && bulk.isEmpty())) {
            pumping = false;
            return null;
        }
        underWay = true;
        List<Item> taken = new ArrayList<>(control);
        control.clear();
        int size = 0;
        Iterator<Item> all = messages.iterator();
        while (size < MESSAGE_BYTES && all.hasNext()) {
            Item item = all.next();
            all.remove();
            waitingBytes -= item.weight;
            size += item.weight;
            taken.add(item);
        }
        Item chunk = bulk.poll();
        if (chunk != null) {
            taken.add(chunk);
        }
        return taken;
    }

    private void write(List<Item> items) {
        long now = clock.getAsLong();
        List<Frame> frames = new ArrayList<>(items.size());
        for (Item item : items) {
            Frame frame = item.source.frame(now);
            if (frame != null) {
                frames.add(frame);
            }
        }
        if (frames.isEmpty()) {
            done(null);
            return;
        }
        byte[] message = Frame.encode(frames);
        tally.add(Measured.BYTES_OUT, message.length);
        try {
            wire.send(ByteBuffer.wrap(message), this::done);
        } catch (RuntimeException failed) {
            done(failed);
        }
    }

    private void done(@Nullable Throwable failed) {
        synchronized (this) {
            underWay = false;
        }
        if (failed == null) {
            pump();
        } else {
            close();
            failing.failed(failed);
        }
    }
}
