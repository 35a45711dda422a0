package io.huddle.membership;

import io.huddle.web.Ids;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The members of one JVM, in memory: what a single node uses, and the specification that the other backend is compared
 * with. Safe for use by any thread; each operation is done when it returns.
 */
public final class LocalMembership implements MembershipBackend {
    private record Seat(NodeInfo node, long leaseMs) {
        boolean isOf(String process) {
            return node.process().equals(process);
        }

        Seat until(long leaseUntil) {
            return new Seat(published(node, node, leaseUntil), leaseMs);
        }
    }

    /** Remains to be removed: from when on they can be claimed, and who claimed them last. */
    private record Remains(long number, long free, String by) {}

    /** Not a record: two that hear the same are two. */
    private static final class Ear {
        private final String channel;
        private final Consumer<String> hears;

        Ear(String channel, Consumer<String> hears) {
            this.channel = channel;
            this.hears = hears;
        }
    }

    private final LongSupplier clock;
    private final Map<Long, Seat> seats = new TreeMap<>();
    private final Map<Long, Remains> dead = new TreeMap<>();
    private final List<Ear> ears = new CopyOnWriteArrayList<>();
    private @Nullable Epoch epoch;
    private long last;

    /** @param clock milliseconds; the store's clock, which decides on every lease here */
    public LocalMembership(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public synchronized CompletionStage<Joined> join(NodeInfo node, long leaseMs) {
        long now = clock.getAsLong();
        boolean fresh = epoch == null;
        if (epoch == null) {
            epoch = new Epoch(Ids.make('e'), now, now);
        }
        last = Math.max(last + 1, now);
        long startedAt = node.startedAt() == 0 ? now : node.startedAt();
        NodeInfo joined = new NodeInfo(
                last, node.process(), node.name(), startedAt, node.linkUrl(), node.linkKey(), node.state(), 0);
        seats.put(last, new Seat(joined, leaseMs).until(now + leaseMs));
        return done(new Joined(last, at(epoch, now), fresh));
    }

    @Override
    public synchronized CompletionStage<Renewal> renew(long number, String process, long leaseMs) {
        long now = clock.getAsLong();
        Seat seat = seats.get(number);
        boolean isMember = seat != null && seat.isOf(process);
        if (seat != null && isMember) {
            seats.put(number, new Seat(seat.node(), leaseMs).until(now + leaseMs));
        }
        return done(new Renewal(!isMember, at(epoch, now)));
    }

    @Override
    public synchronized CompletionStage<Boolean> publish(NodeInfo node) {
        Seat seat = seats.get(node.number());
        if (seat == null || !seat.isOf(node.process())) {
            return done(false);
        }
        seats.put(
                node.number(), new Seat(published(seat.node(), node, seat.node().leaseUntil()), seat.leaseMs()));
        return done(true);
    }

    @Override
    public synchronized CompletionStage<Void> leave(long number, String process) {
        Seat seat = seats.get(number);
        if (seat != null && seat.isOf(process)) {
            seats.remove(number);
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized CompletionStage<List<NodeInfo>> members() {
        long now = clock.getAsLong();
        return done(seats.values().stream()
                .map(Seat::node)
                .filter(node -> node.leaseUntil() > now)
                .toList());
    }

    @Override
    public synchronized CompletionStage<Optional<NodeInfo>> member(long number) {
        return done(Optional.ofNullable(seats.get(number)).map(Seat::node));
    }

    @Override
    public synchronized CompletionStage<List<Long>> declareDead(int most) {
        long now = clock.getAsLong();
        List<Long> ended = seats.values().stream()
                .map(Seat::node)
                .filter(node -> node.leaseUntil() <= now)
                .sorted(Comparator.comparingLong(NodeInfo::leaseUntil).thenComparingLong(NodeInfo::number))
                .limit(most)
                .map(NodeInfo::number)
                .toList();
        for (Long number : ended) {
            seats.remove(number);
            dead.put(number, new Remains(number, now, ""));
        }
        return done(ended);
    }

    @Override
    public synchronized CompletionStage<Optional<Long>> claimCleanup(String by, long claimMs) {
        long now = clock.getAsLong();
        Optional<Remains> first = dead.values().stream()
                .filter(remains -> remains.free() <= now)
                .min(Comparator.comparingLong(Remains::free).thenComparingLong(Remains::number));
        first.ifPresent(remains -> dead.put(remains.number(), new Remains(remains.number(), now + claimMs, by)));
        return done(first.map(Remains::number));
    }

    @Override
    public synchronized CompletionStage<Boolean> acknowledgeCleanup(long number, String by) {
        Remains remains = dead.get(number);
        boolean isMine = remains != null && remains.by().equals(by);
        if (isMine) {
            dead.remove(number);
        }
        return done(isMine);
    }

    @Override
    public synchronized CompletionStage<Epoch> renewEpoch(String known) {
        long now = clock.getAsLong();
        if (epoch != null && epoch.id().equals(known)) {
            epoch = new Epoch(Ids.make('e'), now, now);
            seats.replaceAll((number, seat) -> seat.until(Math.max(seat.node().leaseUntil(), now + seat.leaseMs())));
        }
        return done(at(epoch, now));
    }

    @Override
    public synchronized CompletionStage<Epoch> verifyEpoch(String known) {
        return done(at(epoch, clock.getAsLong()));
    }

    @Override
    public CompletionStage<Void> publish(String channel, String text) {
        for (Ear ear : ears) {
            if (ear.channel.equals(channel)) {
                ear.hears.accept(text);
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<AutoCloseable> subscribe(String channel, Consumer<String> hears) {
        Ear ear = new Ear(channel, hears);
        ears.add(ear);
        return done(() -> ears.remove(ear));
    }

    /** Number, process and start stay; what a node says of itself is the newer. */
    private static NodeInfo published(NodeInfo known, NodeInfo said, long leaseUntil) {
        return new NodeInfo(
                known.number(),
                known.process(),
                said.name(),
                known.startedAt(),
                said.linkUrl(),
                said.linkKey(),
                said.state(),
                leaseUntil);
    }

    /** An epoch without an id where nobody has joined yet: another than anybody knows. */
    private static Epoch at(@Nullable Epoch epoch, long now) {
        return epoch == null ? new Epoch("", now, now) : new Epoch(epoch.id(), epoch.since(), now);
    }

    private static <T> CompletionStage<T> done(T answer) {
        return CompletableFuture.completedFuture(answer);
    }
}
