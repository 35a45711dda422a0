package io.huddle.membership;

import io.huddle.redis.Redis;
import io.huddle.redis.RedisUnavailable;
import io.huddle.redis.Reply;
import io.huddle.redis.Script;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.web.Causes;
import io.huddle.web.Ids;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisClusterMaster;
import org.redisson.api.redisnode.RedisNode.InfoSection;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.client.codec.StringCodec;

/**
 * The members in Redis, under one hash tag; each operation is one script, and time is Redis' own. Safe for use by any
 * thread.
 *
 * <p>An epoch belongs to the run of the server that it began on. Every script that would rely on what the server knows
 * compares the two in the same step, so that a server that was restarted, or a replica that took over, is known as another
 * before anybody is declared dead by leases that may be old. In a cluster the masters of the other slots are asked too, by
 * {@link #verifyEpoch}.
 */
public final class RedisMembership implements MembershipBackend {
    private static final String TAG = "m";
    private static final Script JOIN = Script.of("membership-join");
    private static final Script RENEW = Script.of("membership-renew");
    private static final Script EPOCH = Script.of("membership-epoch");
    private static final Script PUBLISH = Script.of("membership-publish");
    private static final Script LEAVE = Script.of("membership-leave");
    private static final Script MEMBERS = Script.of("membership-members");
    private static final Script DECLARE = Script.of("membership-declare-dead");
    private static final Script CLAIM = Script.of("membership-claim-cleanup");
    private static final Script ACKNOWLEDGE = Script.of("membership-acknowledge-cleanup");

    /** For a number whose taking is answered later than anybody waits for it, and which is then given back. */
    private static final Duration JOINING = Duration.ofSeconds(30);

    private final Redis redis;
    private final String epoch;
    private final String last;
    private final String leases;
    private final String members;
    private final String dead;
    private final String claims;

    public RedisMembership(Redis redis) {
        this.redis = redis;
        epoch = redis.key(TAG, "epoch");
        last = redis.key(TAG, "last");
        leases = redis.key(TAG, "leases");
        members = redis.key(TAG, "members");
        dead = redis.key(TAG, "dead");
        claims = redis.key(TAG, "claims");
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Sent once, since each time would take a number; and answered however late, so that it can be given back. */
    @Override
    public CompletionStage<Joined> join(NodeInfo node, long leaseMs) {
        String id = Ids.make('e');
        return failing(JOIN.runOnce(
                        redis,
                        JOINING,
                        List.of(epoch, last, leases, members),
                        node.process(),
                        leaseMs,
                        node.startedAt(),
                        encoded(node)))
                .thenCompose(reply -> current(reply, id)
                        .thenApply(now -> new Joined(
                                reply.number(0),
                                now,
                                now.id().equals(id) && reply.text(1).isEmpty()))
                        .whenComplete((joined, failed) -> {
                            if (failed != null) {
                                // Nobody hears of this number.
                                CompletionStage<Void> unused = leave(reply.number(0), node.process());
                            }
                        }));
    }

    @Override
    public CompletionStage<Renewal> renew(long number, String process, long leaseMs) {
        return run(RENEW, List.of(epoch, leases, members), number, process, leaseMs)
                .thenCompose(reply ->
                        current(reply, Ids.make('e')).thenApply(now -> new Renewal(reply.number(0) == 1, now)));
    }

    @Override
    public CompletionStage<Boolean> publish(NodeInfo node) {
        return run(PUBLISH, List.of(members), node.number(), node.process(), encoded(node))
                .thenApply(reply -> reply.number(0) == 1);
    }

    @Override
    public CompletionStage<Void> leave(long number, String process) {
        return run(LEAVE, List.of(leases, members), number, process).thenAccept(reply -> {});
    }

    @Override
    public CompletionStage<List<NodeInfo>> members() {
        return run(MEMBERS, List.of(leases, members), 0).thenApply(RedisMembership::nodes);
    }

    @Override
    public CompletionStage<Optional<NodeInfo>> member(long number) {
        return run(MEMBERS, List.of(leases, members), number)
                .thenApply(reply -> nodes(reply).stream().findFirst());
    }

    @Override
    public CompletionStage<List<Long>> declareDead(int most) {
        return run(DECLARE, List.of(epoch, leases, members, dead), most).thenApply(reply -> {
            List<Long> numbers = new ArrayList<>(reply.size());
            for (int i = 0; i < reply.size(); i++) {
                numbers.add(reply.number(i));
            }
            return numbers;
        });
    }

    @Override
    public CompletionStage<Optional<Long>> claimCleanup(String by, long claimMs) {
        return run(CLAIM, List.of(dead, claims), by, claimMs)
                .thenApply(reply -> reply.has(0) ? Optional.of(reply.number(0)) : Optional.empty());
    }

    @Override
    public CompletionStage<Boolean> acknowledgeCleanup(long number, String by) {
        return run(ACKNOWLEDGE, List.of(dead, claims), number, by).thenApply(reply -> reply.number(0) == 1);
    }

    @Override
    public CompletionStage<Epoch> renewEpoch(String known) {
        return epoch(known, Ids.make('e'), true, "");
    }

    @Override
    public CompletionStage<Epoch> verifyEpoch(String known) {
        return failing(redis.call(RedisMembership::masters))
                .thenCompose(masters -> epoch(known, Ids.make('e'), false, masters));
    }

    @Override
    public CompletionStage<Void> publish(String channel, String text) {
        return failing(redis.call(client -> topic(client, channel).publishAsync(text)))
                .thenAccept(heard -> {});
    }

    @Override
    public CompletionStage<AutoCloseable> subscribe(String channel, Consumer<String> hears) {
        return failing(redis.callToTheEnd(client -> topic(client, channel)
                .addListenerAsync(String.class, (name, text) -> hears.accept(text))
                .thenApply(listener -> () -> {
                    CompletionStage<Void> ended = topic(client, channel).removeListenerAsync(listener);
                    ended.exceptionally(goneAlready -> null);
                })));
    }

    private RTopic topic(RedissonClient client, String channel) {
        return client.getTopic(redis.key(TAG, channel), StringCodec.INSTANCE);
    }

    /** The epoch that a script has read; a new one, if there was none or the server is another since. */
    private CompletionStage<Epoch> current(Reply reply, String id) {
        return reply.number(4) == 0
                ? CompletableFuture.completedFuture(new Epoch(reply.text(1), reply.number(2), reply.number(3)))
                : epoch(reply.text(1), id, false, "");
    }

    private CompletionStage<Epoch> epoch(String known, String id, boolean isForced, String masters) {
        return run(EPOCH, List.of(epoch, leases, members), known, id, isForced ? 1 : 0, masters)
                .thenApply(reply -> new Epoch(reply.text(0), reply.number(1), reply.number(2)));
    }

    private CompletionStage<Reply> run(Script script, List<String> keys, Object... arguments) {
        return failing(script.run(redis, keys, arguments));
    }

    /** The run ids of all masters of a cluster; empty where there is one server, of which the scripts themselves see it. */
    private static CompletionStage<String> masters(RedissonClient client) {
        Collection<RedisClusterMaster> masters;
        try {
            masters = client.getRedisNodes(RedisNodes.CLUSTER).getMasters();
        } catch (IllegalArgumentException noCluster) {
            return CompletableFuture.completedFuture("");
        }
        List<CompletableFuture<String>> runs = masters.stream()
                .map(master -> master.infoAsync(InfoSection.SERVER)
                        .thenApply(info -> String.valueOf(info.get("run_id")))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(runs.toArray(CompletableFuture[]::new))
                .thenApply(nothing -> runs.stream()
                        .map(CompletableFuture::join)
                        .sorted()
                        .map(run -> run + ",")
                        .collect(Collectors.joining()));
    }

    private static <T> CompletionStage<T> failing(CompletionStage<T> answer) {
        CompletableFuture<T> result = new CompletableFuture<>();
        answer.whenComplete((value, failed) -> {
            Throwable cause = failed == null ? null : Causes.of(failed);
            if (cause == null) {
                result.complete(value);
            } else if (cause instanceof RedisUnavailable) {
                result.completeExceptionally(new RegistryUnavailable(String.valueOf(cause.getMessage()), cause));
            } else {
                result.completeExceptionally(cause);
            }
        });
        return result;
    }

    private static List<NodeInfo> nodes(Reply reply) {
        return Stream.iterate(0, i -> i + 2 < reply.size(), i -> i + 3)
                .map(i -> node(reply.number(i), reply.number(i + 1), reply.text(i + 2)))
                .toList();
    }

    private static NodeInfo node(long number, long leaseUntil, String lines) {
        String[] parts = lines.split("\n", 4);
        try (JsonReader reader = Json.createReader(new StringReader(parts[3]))) {
            JsonObject published = reader.readObject();
            return new NodeInfo(
                    number,
                    parts[0],
                    published.getString("name", ""),
                    Long.parseLong(parts[2]),
                    published.getString("linkUrl", ""),
                    published.getString("linkKey", ""),
                    new NodeState(
                            published.getString("state", ""),
                            published.getString("version", ""),
                            published.getInt("streams", 0),
                            published.getBoolean("drained", false)),
                    leaseUntil);
        }
    }

    /** Fields that an older node does not know are no trouble to it. */
    private static String encoded(NodeInfo node) {
        return Json.createObjectBuilder()
                .add("name", node.name())
                .add("linkUrl", node.linkUrl())
                .add("linkKey", node.linkKey())
                .add("state", node.state().lifecycle())
                .add("version", node.state().version())
                .add("streams", node.state().streams())
                .add("drained", node.state().isDrained())
                .build()
                .toString();
    }
}
