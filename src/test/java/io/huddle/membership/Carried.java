package io.huddle.membership;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A store as one host sees it: through a network with weather. The store behind it can be replaced by an empty one. */
final class Carried implements MembershipBackend {
    private final World world;
    private final World.Host host;
    private final Supplier<MembershipBackend> store;
    private final World.Weather weather;

    Carried(World world, World.Host host, Supplier<MembershipBackend> store, World.Weather weather) {
        this.world = world;
        this.host = host;
        this.store = store;
        this.weather = weather;
    }

    private <T> CompletionStage<T> ask(java.util.function.Function<MembershipBackend, CompletionStage<T>> operation) {
        return world.carry(host, weather, () -> operation.apply(store.get()));
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public CompletionStage<Joined> join(NodeInfo node, long leaseMs) {
        return ask(it -> it.join(node, leaseMs));
    }

    @Override
    public CompletionStage<Renewal> renew(long number, String process, long leaseMs) {
        return ask(it -> it.renew(number, process, leaseMs));
    }

    @Override
    public CompletionStage<Boolean> publish(NodeInfo node) {
        return ask(it -> it.publish(node));
    }

    @Override
    public CompletionStage<Void> leave(long number, String process) {
        return ask(it -> it.leave(number, process));
    }

    @Override
    public CompletionStage<List<NodeInfo>> members() {
        return ask(MembershipBackend::members);
    }

    @Override
    public CompletionStage<Optional<NodeInfo>> member(long number) {
        return ask(it -> it.member(number));
    }

    @Override
    public CompletionStage<List<Long>> declareDead(int most) {
        return ask(it -> it.declareDead(most));
    }

    @Override
    public CompletionStage<Optional<Long>> claimCleanup(String by, long claimMs) {
        return ask(it -> it.claimCleanup(by, claimMs));
    }

    @Override
    public CompletionStage<Boolean> acknowledgeCleanup(long number, String by) {
        return ask(it -> it.acknowledgeCleanup(number, by));
    }

    @Override
    public CompletionStage<Epoch> renewEpoch(String known) {
        return ask(it -> it.renewEpoch(known));
    }

    @Override
    public CompletionStage<Epoch> verifyEpoch(String known) {
        return ask(it -> it.verifyEpoch(known));
    }

    @Override
    public CompletionStage<Void> publish(String channel, String text) {
        return ask(it -> it.publish(channel, text));
    }

    @Override
    public CompletionStage<AutoCloseable> subscribe(String channel, Consumer<String> hears) {
        return ask(it -> it.subscribe(channel, hears));
    }
}
