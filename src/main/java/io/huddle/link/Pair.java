package io.huddle.link;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This node and one peer: the link between them if there is one, what waits for it, and the attempt to open it. Safe for
 * use by any thread.
 *
 * <p>One attempt serves all that wait; a caller whose time is over leaves, and the attempt goes on. If both sides opened a
 * link at once, the one that the process with the lesser id opened stays. Both sides see the same two links and so decide
 * alike, in whatever order they see them.
 */
final class Pair {
    /** Attempts that hang, beside the one that calls wait for. */
    private static final int MOST_HANGING = 3;

    private static final int CALL_BYTES = 64;

    private final Limits limits;
    private final Alarm alarm;
    private final Measured.Tally tally;
    private final Set<Outgoing> waiting = new LinkedHashSet<>();
    private final AtomicInteger calls = new AtomicInteger();
    private long waitingBytes;
    private @Nullable Link link;
    private boolean dialing;
    private int hanging;
    private long attempt;

    Pair(Limits limits, Alarm alarm, Measured.Tally tally) {
        this.limits = limits;
        this.alarm = alarm;
        this.tally = tally;
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

    /**
     * Sends the call over the link, or over the next one.
     *
     * @param own the number of this node now; a link that was opened under another one is of no more use
     */
    void submit(Outgoing call, long own, Dialing dialing) {
        while (true) {
            Link usable = usable(own);
            if (usable == null ? await(call, dialing) : usable.offer(call)) {
                return;
            }
        }
    }

    private @Nullable Link usable(long own) {
        Link stale;
        synchronized (this) {
            if (link == null || (link.isOpen() && link.ends().own() == own)) {
                return link;
            }
            stale = link;
            link = null;
        }
        stale.retire();
        return null;
    }

    /** True if the call waits or has failed; false if a link came up meanwhile. */
    private boolean await(Outgoing call, Dialing opening) {
        boolean begins;
        synchronized (this) {
            if (link != null) {
                return false;
            }
            if (!dialing && hanging >= MOST_HANGING) {
                call.lose("the peer cannot be reached");
                return true;
            }
            if (waitingBytes + weight(call) > limits.bufferBytes()) {
                tally.add(Measured.FULL_BUFFER);
                call.fail(new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "too much waits for a link to the peer"));
                return true;
            }
            waiting.add(call);
            waitingBytes += weight(call);
            begins = !dialing;
            dialing = true;
        }
        call.at(this::forget);
        if (begins) {
            dial(call.peer(), opening);
        }
        return true;
    }

    private synchronized void forget(Outgoing call) {
        if (waiting.remove(call)) {
            waitingBytes -= weight(call);
        }
    }

    private void dial(Peer peer, Dialing opening) {
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
                dial(peer, opening);
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

    /** The attempt has led to a link, or to none, or takes too long: whoever still waits has waited in vain. */
    private void over(long which) {
        List<Outgoing> left;
        synchronized (this) {
            if (which != attempt || !dialing) {
                return;
            }
            dialing = false;
            left = take();
        }
        left.forEach(call -> call.lose("the peer cannot be reached"));
    }

    /** Takes a link that either side has opened; answers the calls that waited for one, which are to be submitted again. */
    List<Outgoing> admit(Link opened, long now) {
        Link loser;
        List<Outgoing> waited;
        synchronized (this) {
            Link before = link;
            if (before != null && before.isOpen() && before.isFresh(now) && isBetter(before, opened)) {
                loser = opened;
            } else {
                link = opened;
                loser = before;
            }
            waited = take();
        }
        if (loser != null) {
            loser.retire();
        }
        return waited;
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
        List<Outgoing> taken = new ArrayList<>(waiting);
        waiting.clear();
        waitingBytes = 0;
        return taken;
    }

    private static long weight(Outgoing call) {
        return CALL_BYTES + (long) call.request().size();
    }
}
