package io.huddle.link;

import com.google.protobuf.ByteString;
import io.huddle.web.Causes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All links of this node, and the calls over them. Safe for use by any thread; nothing blocks. Knows nothing of sockets:
 * whoever opens one brings its link here.
 */
final class Switchboard {
    private final Limits limits;
    private final Shared shared;
    private final LongSupplier clock;
    private final Measured.Tally tally;
    private final Alarm alarm;
    private final Supplier<Optional<Self>> self;
    private final Pair.Dialing dialing;
    private final Consumer<Link> released;
    private final Map<Address, Pair> pairs = new ConcurrentHashMap<>();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    private record Address(long number, String process) {}

    /** @param self empty while this node has no lease it can prove, and so no number to be known by */
    Switchboard(
            Limits limits,
            Operations operations,
            LongSupplier clock,
            Measured.Tally tally,
            Alarm alarm,
            Supplier<Optional<Self>> self,
            Pair.Dialing dialing,
            Consumer<Link> released) {
        this.limits = limits;
        this.clock = clock;
        this.tally = tally;
        this.alarm = alarm;
        this.self = self;
        this.dialing = dialing;
        this.released = released;
        Budget budget = new Budget(limits.inboundCalls(), limits.inboundBytes());
        this.shared = new Shared(limits, operations, budget, clock, tally, this::retired, this::ended);
    }

    Shared shared() {
        return shared;
    }

    int size() {
        return links.size();
    }

    boolean hasWork() {
        return links.stream().anyMatch(Link::hasWork);
    }

    boolean isFresh(long number, String process) {
        Pair pair = pairs.get(new Address(number, process));
        return pair != null && pair.isFresh(clock.getAsLong());
    }

    CompletionStage<ByteString> call(Peer peer, String operation, ByteString request, Duration deadline) {
        long nanos = deadline.toNanos();
        Outgoing call = new Outgoing(peer, operation, request, clock.getAsLong() + nanos);
        start(call, nanos);
        // A copy, so that nobody completes the call but the link.
        return Told.of(call.answer());
    }

    LinkSender open(Peer peer, String operation, ByteString request) {
        LinkSender sender = new LinkSender(limits.windowBytes());
        long nanos = 2 * limits.connectNanos();
        Outgoing call = new Outgoing(peer, operation, request, clock.getAsLong() + nanos, sender);
        start(call, nanos);
        CompletableFuture<ByteString> unused = call.answer().whenComplete((result, failed) -> {
            if (failed instanceof LinkFailed known) {
                sender.end(known);
            }
        });
        return sender;
    }

    private void start(Outgoing call, long nanos) {
        Optional<Self> me = self.get();
        Pair pair = null;
        if (stopped || me.isEmpty()) {
            call.lose("this node has no links now");
        } else if (call.request().size() > limits.frameBytes()) {
            call.lose("a request of more than " + limits.frameBytes() + " bytes");
        } else if (nanos <= 0) {
            call.expire();
        } else {
            pair = entered(addressOf(call.peer()));
        }
        count(call, pair);
        if (call.isOver()) {
            return;
        }
        if (pair == null || pair.isCrowded()) {
            tally.add(pair == null ? Measured.FULL_PEERS : Measured.FULL_CALLS);
            call.fail(new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "too much is under way"));
            return;
        }
        Runnable calledOff = alarm.after(nanos, call::expire);
        CompletableFuture<ByteString> unused = call.answer().whenComplete((result, failed) -> calledOff.run());
        pair.submit(call);
    }

    private void count(Outgoing call, @Nullable Pair pair) {
        CompletableFuture<ByteString> unused = call.answer().whenComplete((result, failed) -> {
            if (pair != null) {
                pair.leave();
            }
            tally.add(
                    failed != null && Causes.of(failed) instanceof LinkFailed known
                            ? Measured.of(known.reason())
                            : Measured.CALL_OK);
        });
    }

    private static Address addressOf(Peer peer) {
        return new Address(peer.number(), peer.process());
    }

    /** The pair of this address, entered; null if there are as many as there may be. */
    private @Nullable Pair entered(Address address) {
        AtomicReference<@Nullable Pair> entered = new AtomicReference<>();
        Pair known = pairs.computeIfPresent(address, (key, pair) -> pair.enter());
        if (known != null) {
            return known;
        }
        if (pairs.size() >= limits.peers()) {
            prune();
        }
        pairs.compute(address, (key, pair) -> {
            if (pair == null && pairs.size() >= limits.peers()) {
                return null;
            }
            Pair found = pair == null ? new Pair(limits, alarm, tally, self, dialing) : pair;
            entered.set(found.enter());
            return found;
        });
        return entered.get();
    }

    /** True if a link of this peer would be admitted. */
    boolean hasRoom(long number, String process) {
        return !stopped
                && links.size() < 2 * limits.peers()
                && (pairs.containsKey(new Address(number, process)) || pairs.size() < limits.peers());
    }

    /** Takes a link that either side has opened. One for which there is no room any more is closed. */
    void admit(Link link) {
        Pair pair = entered(new Address(link.ends().number(), link.ends().process()));
        if (pair == null || stopped) {
            tally.add(Measured.FULL_PEERS);
            link.close("as many peers as there may be");
            return;
        }
        links.add(link);
        pair.admit(link, clock.getAsLong());
        pair.leave();
        if (link.isDead()) {
            // It died before it was known here.
            forget(link);
        }
    }

    /** Sends what waited there over whatever link there is now. */
    private void retired(Link link, List<Outgoing> waiting) {
        Pair pair = pairs.get(new Address(link.ends().number(), link.ends().process()));
        if (pair == null) {
            waiting.forEach(call -> call.lose("the link was closed"));
        } else {
            pair.resubmit(waiting);
        }
    }

    /** Told once by each link. */
    private void ended(Link link) {
        forget(link);
        released.accept(link);
    }

    private void forget(Link link) {
        links.remove(link);
        Pair pair = pairs.get(new Address(link.ends().number(), link.ends().process()));
        if (pair != null) {
            pair.ended(link);
        }
    }

    /** What time brings, to be asked a few times a second, by one thread at a time. */
    void watch() {
        long now = clock.getAsLong();
        links.forEach(link -> link.watch(now));
        prune();
    }

    private void prune() {
        for (Address address : pairs.keySet()) {
            pairs.computeIfPresent(address, (key, pair) -> pair.isUnused() ? null : pair);
        }
    }

    /** Ends every link; no call starts any more. */
    void stop() {
        stopped = true;
        links.forEach(link -> link.close("the node stops"));
    }
}
