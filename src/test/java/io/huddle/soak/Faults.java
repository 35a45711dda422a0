package io.huddle.soak;

import io.huddle.harness.Node;
import io.huddle.harness.TcpProxy;
import io.huddle.harness.TcpProxy.Direction;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Breaks one thing after the other, and mends it. One thread's. */
final class Faults {
    /** What may happen. A node's lease is nine seconds. */
    enum Kind {
        NODE_KILLED,
        NODE_PAUSED_SHORTER_THAN_ITS_LEASE,
        NODE_PAUSED_LONGER_THAN_ITS_LEASE,
        LINK_CUT_ONE_WAY,
        LINK_CUT,
        REDIS_RESTARTED,
        REDIS_REPLACED_BY_AN_EMPTY_ONE,
        REDIS_PAUSED,
        HEARTBEATS_LOST_ONE_WAY,
        HEARTBEATS_LOST
    }

    private final Place place;
    private final Random random;
    private final CountDownLatch end;
    private final Map<Kind, Integer> counts = new TreeMap<>();

    Faults(Place place, Random random, CountDownLatch end) {
        this.place = place;
        this.random = random;
        this.end = end;
    }

    Map<Kind, Integer> counts() {
        return counts;
    }

    /** One fault after the other until then; everything is mended when this returns. */
    void until(long instant) throws InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() < instant) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            int node = random.nextInt(place.nodes.size());
            Direction direction = random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
            counts.merge(kind, 1, Integer::sum);
            System.out.println(String.format(
                    Locale.ROOT,
                    "%6.1f s %s node %d %s",
                    (System.nanoTime() - begun) / 1e9,
                    kind,
                    node + 1,
                    direction));
            happen(kind, node, direction);
            // Sometimes the next one comes before all have recovered.
            rest(1_000, 12_000);
        }
    }

    private void happen(Kind kind, int which, Direction direction) throws InterruptedException {
        Node node = place.nodes.get(which);
        switch (kind) {
            case NODE_KILLED -> {
                node.kill9();
                rest(500, 15_000);
                node.restart();
                node.awaitReady();
            }
            case NODE_PAUSED_SHORTER_THAN_ITS_LEASE -> pause(node, 1_000, 7_000);
            case NODE_PAUSED_LONGER_THAN_ITS_LEASE -> pause(node, 10_000, 20_000);
            case LINK_CUT_ONE_WAY -> stall(place.linkWire(which), direction, 2_000, 15_000);
            case LINK_CUT -> cut(place.linkWire(which), 1_000, 15_000);
            case REDIS_RESTARTED -> {
                place.redis.stop();
                rest(100, 12_000);
                place.redis.start();
            }
            case REDIS_REPLACED_BY_AN_EMPTY_ONE -> place.redis.restartEmpty();
            case REDIS_PAUSED -> {
                place.redis.pause();
                rest(500, 12_000);
                place.redis.resume();
            }
            case HEARTBEATS_LOST_ONE_WAY -> stall(place.redisWire(which), direction, 3_000, 15_000);
            case HEARTBEATS_LOST -> cut(place.redisWire(which), 1_000, 15_000);
        }
    }

    private void pause(Node node, int least, int most) throws InterruptedException {
        node.pause();
        rest(least, most);
        node.resume();
    }

    private void stall(TcpProxy wire, Direction direction, int least, int most) throws InterruptedException {
        wire.stall(direction);
        rest(least, most);
        wire.mend();
    }

    private void cut(TcpProxy wire, int least, int most) throws InterruptedException {
        wire.cut();
        rest(least, most);
        wire.mend();
    }

    private void rest(int least, int most) throws InterruptedException {
        boolean unused = end.await(least + random.nextInt(most - least), TimeUnit.MILLISECONDS);
    }
}
