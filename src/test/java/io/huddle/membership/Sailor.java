package io.huddle.membership;

import io.huddle.membership.Membership.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A node in virtual time, and what it was told. */
final class Sailor implements World.Weather {
    static final Terms TERMS = Terms.shared(3_000, 9_000);
    static final long CLAIM_MS = 10_000;

    final World.Host host;
    final Member member;
    final Neighbours neighbours;
    final Rounds rounds;
    final Broadcasts broadcasts;
    final List<Object> told = new ArrayList<>();
    final List<Long> toldAtNanos = new ArrayList<>();
    final List<Loss> losses = new ArrayList<>();
    final List<Broadcasts.Outcome> outcomes = new ArrayList<>();
    final List<String> begun = new ArrayList<>();
    long requestMs = 1;
    long answerMs = 1;
    Function<String, CompletionStage<Void>> beginEpoch = epoch -> CompletableFuture.completedFuture(null);
    java.util.function.Consumer<NodeDied> died = death -> {};

    private final World world;

    Sailor(World world, Supplier<MembershipBackend> store, Terms terms) {
        this.world = world;
        this.host = world.host();
        Clocks clocks = host.clocks();
        Alarms alarms = host.alarms();
        Carried carried = new Carried(world, host, store, this);
        Hears hears = new Hears(this::hear, this::hear, this::hearDeath);
        member = new Member(
                carried,
                World.registry(epoch -> {
                    begun.add(epoch);
                    return beginEpoch.apply(epoch);
                }),
                terms,
                clocks,
                alarms,
                hears,
                losses::add,
                "test");
        neighbours = new Neighbours(carried, alarms, clocks, terms);
        rounds = new Rounds(carried, member, neighbours, alarms, hears, CLAIM_MS);
        broadcasts = new Broadcasts(carried, member, neighbours, alarms, outcomes::add, 4);
    }

    static Sailor joined(World world, MembershipBackend store) {
        Sailor sailor = new Sailor(world, () -> store, TERMS);
        sailor.start();
        world.until(1_000, () -> sailor.member.lease().isPresent());
        return sailor;
    }

    void start() {
        member.start();
        rounds.start();
        broadcasts.start();
    }

    /** As if the process were killed. */
    void kill() {
        host.pause(Long.MAX_VALUE / 4_000_000);
    }

    void cutOff() {
        requestMs = -1;
    }

    /** What is sent arrives; the answer never comes. */
    void deafen() {
        answerMs = -2;
    }

    void heal() {
        requestMs = 1;
        answerMs = 1;
    }

    long number() {
        return member.lease().map(Lease::number).orElse(0L);
    }

    <T> List<T> told(Class<T> kind) {
        return told.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** When this kind of thing was told last. */
    long toldAtMs(Class<?> kind) {
        for (int i = told.size() - 1; i >= 0; i--) {
            if (kind.isInstance(told.get(i))) {
                return toldAtNanos.get(i) / 1_000_000;
            }
        }
        throw new AssertionError("never told of a " + kind.getSimpleName());
    }

    private void hear(Object what) {
        told.add(what);
        toldAtNanos.add(world.nanos());
    }

    private void hearDeath(NodeDied death) {
        hear(death);
        died.accept(death);
    }

    @Override
    public long requestMs() {
        return requestMs;
    }

    @Override
    public long answerMs() {
        return answerMs;
    }
}
