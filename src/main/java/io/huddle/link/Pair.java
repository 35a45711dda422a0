package io.huddle.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This node and one peer: the link between them if there is one, what waits for it, and the attempt to open it. Safe for
 * use by any thread.
 *
 * <p>One attempt serves all that wait; a caller whose time is over leaves, and the attempt goes on. If both sides opened a
 * link at once, the one that the process with the lesser id opened stays. Both sides see the same two links and so decide
 * alike, in whatever order they see them.
 *
 * <p>Every call passes through one line, and one thread at a time hands its first over to the link, without the lock: calls
 * are written in the order in which they came, also those that waited for a link or come back from one that is replaced.
 */
final class Pair {
    /** Attempts that hang, beside the one that calls wait for. */
    private static final int MOST_HANGING = 3;

    private static final int CALL_BYTES = 64;

    private final Limits limits;
    private final Alarm alarm;
    private final Measured.Tally tally;
    private final Supplier<Optional<Self>> self;
    private final Dialing opening;

    /** By the place that each got when it first came: what comes back takes it again. */
    private final NavigableMap<Long, Outgoing> waiting = new TreeMap<>();

    private final AtomicInteger calls = new AtomicInteger();
    private long lastPlace;
    private long waitingBytes;
    private @Nullable Link link;
    private boolean pumping;
    private int admitting;
    private boolean dialing;
    private int hanging;
    private long attempt;

    /** @param self whose number the link must have been opened under; one of an earlier number is of no more use */
    Pair(Limits limits, Alarm alarm, Measured.Tally tally, Supplier<Optional<Self>> self, Dialing opening) {
        this.limits = limits;
        this.alarm = alarm;
        this.tally = tally;
        this.self = self;
        this.opening = opening;
    }

    /** Opens a link to the peer; the link has been admitted before its stage completes. */
    @FunctionalInterface
    interface Dialing extends Function<Peer, CompletionStage<Link>> {}

    /** Counts a call in; to be counted out by {@link #leave}. */
    Pair enter() {
        calls.incrementAndGet();
        return this;
    }

    void leave() {
        calls.decrementAndGet();
    }

    boolean isCrowded() {
        return calls.get() > limits.calls();
    }

    synchronized boolean isUnused() {
        return calls.get() == 0 && link == null && !dialing && hanging == 0;
    }

    synchronized boolean isFresh(long now) {
        return link != null && link.isFresh(now);
    }

    /** Sends the call over the link, or over the next one. */
    void submit(Outgoing call) {
        call.at(this::forget);
        boolean isFull;
        synchronized (this) {
            isFull = waitingBytes + weight(call) > limits.bufferBytes();
            if (!isFull) {
                line(call);
            }
        }
        if (isFull) {
            tally.add(Measured.FULL_BUFFER);
            call.fail(new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "too much waits for a link to the peer"));
        } else {
            pump();
        }
    }

    /** Takes calls back from a link that has not begun them. */
    void resubmit(List<Outgoing> unsent) {
        unsent.forEach(call -> call.at(this::forget));
        synchronized (this) {
            unsent.forEach(this::line);
        }
        pump();
    }

    /** With the lock, after the call was told that it is here: one that ends now is taken out by its end. */
    private void line(Outgoing call) {
        if (!call.isOver()) {
            if (call.place() == 0) {
                lastPlace++;
                call.place(lastPlace);
            }
            waiting.put(call.place(), call);
            waitingBytes += weight(call);
        }
    }

    private synchronized void forget(Outgoing call) {
        if (waiting.remove(call.place(), call)) {
            waitingBytes -= weight(call);
        }
    }

    /** Hands over what can be handed over; whoever comes meanwhile leaves its call in the line. */
    private void pump() {
        synchronized (this) {
            if (pumping) {
                return;
            }
            pumping = true;
        }
        boolean isOff = false;
        try {
            Runnable step = step(self.get());
            while (step != null) {
                step.run();
                step = step(self.get());
            }
            isOff = true;
        } finally {
            if (!isOff) {
                stopPump();
            }
        }
    }

    private synchronized void stopPump() {
        pumping = false;
    }

    /** What is to be done next, without the lock; null if there is nothing now, and then the pump is off. */
    private synchronized @Nullable Runnable step(Optional<Self> me) {
        Link at = link;
        Map.Entry<Long, Outgoing> first = waiting.firstEntry();
        if (first == null || admitting > 0 || (at == null && dialing)) {
            pumping = false;
            return null;
        }
        if (at == null) {
            return connect(first.getValue().peer());
        }
        if (me.isEmpty()) {
            return lost("the link was closed");
        }
        if (!at.isOpen() || at.ends().own() != me.get().number()) {
            link = null;
            return at::retire;
        }
        forget(first.getValue());
        return () -> hand(first.getValue(), at);
    }

    private void hand(Outgoing call, Link at) {
        if (at.offer(call)) {
            return;
        }
        // It has ended or is about to. What waits there comes back as well, each to its own place.
        resubmit(List.of(call));
        ended(at);
    }

    private Runnable connect(Peer peer) {
        if (hanging >= MOST_HANGING) {
            return lost("the peer cannot be reached");
        }
        dialing = true;
        return () -> dial(peer);
    }

    private Runnable lost(String why) {
        List<Outgoing> left = take();
        return () -> left.forEach(call -> call.lose(why));
    }

    private void dial(Peer peer) {
        long mine;
        synchronized (this) {
            attempt++;
            mine = attempt;
            hanging++;
        }
        Runnable calledOff = alarm.after(limits.connectNanos(), () -> over(mine));
        CompletionStage<Link> opened;
        try {
            opened = opening.apply(peer);
        } catch (RuntimeException failed) {
            opened = CompletableFuture.failedStage(failed);
        }
        opened.whenComplete((link, failed) -> {
            calledOff.run();
            if (closeAttempt(mine, failed == null)) {
                dial(peer);
            } else {
                over(mine);
            }
        });
    }

    /**
     * True if calls have come to wait again although the attempt led to a link: it is retired already, since the peer
     * opened another one. The peer can be reached, so the next attempt follows at once.
     */
    private synchronized boolean closeAttempt(long which, boolean isOpened) {
        hanging--;
        return isOpened && which == attempt && dialing && link == null && !waiting.isEmpty();
    }

    /** The attempt has led to a link, or to none, or takes too long: whoever still waits for one has waited in vain. */
    private void over(long which) {
        List<Outgoing> left;
        synchronized (this) {
            if (which != attempt || !dialing) {
                return;
            }
            dialing = false;
            left = link == null ? take() : List.of();
        }
        left.forEach(call -> call.lose("the peer cannot be reached"));
        // One may have come between the two.
        pump();
    }

    /** Takes a link that either side has opened. What waited, here or for the link before, goes over it first. */
    void admit(Link opened, long now) {
        Link loser;
        synchronized (this) {
            Link before = link;
            if (before != null && before.isOpen() && before.isFresh(now) && isBetter(before, opened)) {
                loser = opened;
            } else {
                link = opened;
                loser = before;
            }
            admitting++;
        }
        try {
            if (loser != null) {
                loser.retire();
            }
        } finally {
            synchronized (this) {
                admitting--;
            }
        }
        pump();
    }

    /** A link of the same dialer is there to replace the one before. */
    private static boolean isBetter(Link before, Link opened) {
        return before.ends().own() == opened.ends().own()
                && before.ends().dialer().compareTo(opened.ends().dialer()) < 0;
    }

    synchronized void ended(Link gone) {
        if (gone.equals(link)) {
            link = null;
        }
    }

    private List<Outgoing> take() {
        List<Outgoing> taken = new ArrayList<>(waiting.values());
        waiting.clear();
        waitingBytes = 0;
        return taken;
    }

    private static long weight(Outgoing call) {
        return CALL_BYTES + (long) call.request().size();
    }
}
