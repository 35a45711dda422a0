package io.huddle.harness;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A real Redis Cluster: three masters with a replica each, on this machine. A master's end is noticed after a second. */
public final class RedisCluster implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private final List<Redis> servers = new ArrayList<>();

    private RedisCluster() {}

    /** Starts six servers, and waits until they are one cluster in which every master has its replica. */
    public static RedisCluster create() {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.form();
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
        return cluster;
    }

    private void form() {
        for (int i = 0; i < 2 * MASTERS; i++) {
            servers.add(Redis.createForCluster());
        }
        for (int i = 0; i < MASTERS; i++) {
            int first = SLOTS * i / MASTERS;
            int last = SLOTS * (i + 1) / MASTERS;
            List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            IntStream.range(first, last).mapToObj(Integer::toString).forEach(command::add);
            ask(servers.get(i), command.toArray(String[]::new));
        }
        for (Redis other : servers.subList(1, servers.size())) {
            ask(servers.get(0), "CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
        }
        Awaiting.until(
                DEADLINE,
                "all servers know each other",
                () -> servers.stream()
                        .allMatch(server -> nodes(server)
                                        .lines()
                                        .filter(line -> !line.contains("handshake"))
                                        .count()
                                == servers.size()));
        for (int i = 0; i < MASTERS; i++) {
            String master = ask(servers.get(i), "CLUSTER", "MYID");
            ask(servers.get(MASTERS + i), "CLUSTER", "REPLICATE", master);
        }
        Awaiting.until(DEADLINE, "a whole cluster", () -> isWhole(MASTERS));
    }

    /**
     * Kills the master of a key without a word, and waits until its replica is the master and the whole cluster knows.
     *
     * @return the killed one, which may be started again
     */
    public Redis killMasterOf(String key) {
        Redis master = masterOf(key);
        master.kill9();
        Awaiting.until(
                DEADLINE,
                "another master of the key",
                () -> !masterPort(alive(), key).equals(Integer.toString(master.port())) && isOk());
        return master;
    }

    /** The master of a key, which must be alive. */
    public Redis masterOf(String key) {
        String port = masterPort(alive(), key);
        return servers.stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server has port " + port));
    }

    /** As {@code huddle.redis.url} wants it. */
    public String url() {
        return servers.stream().map(Redis::url).collect(Collectors.joining(","));
    }

    /** What a node must be given to use it. */
    public Map<String, String> environment() {
        return Map.of("HUDDLE_REDIS_URL", url());
    }

    /** Ends all servers. */
    @Override
    public void close() {
        servers.forEach(Redis::close);
    }

    private boolean isWhole(int replicas) {
        return isOk()
                && servers.stream()
                                .map(server -> ask(server, "INFO", "replication"))
                                .filter(info -> info.contains("role:slave") && info.contains("master_link_status:up"))
                                .count()
                        == replicas;
    }

    private boolean isOk() {
        return servers.stream()
                .filter(RedisCluster::answers)
                .allMatch(server -> ask(server, "CLUSTER", "INFO").contains("cluster_state:ok"));
    }

    private Redis alive() {
        return servers.stream().filter(RedisCluster::answers).findFirst().orElseThrow();
    }

    /** The slot's line of {@code CLUSTER NODES} that is a living master's. */
    private static String masterPort(Redis asked, String key) {
        int slot = Integer.parseInt(ask(asked, "CLUSTER", "KEYSLOT", key));
        for (String line : nodes(asked).lines().toList()) {
            String[] words = line.split(" ", -1);
            if (words[2].contains("master") && !words[2].contains("fail") && holds(words, slot)) {
                return words[1].replaceFirst("@.*", "").replaceFirst(".*:", "");
            }
        }
        return Integer.toString(0);
    }

    private static boolean holds(String[] words, int slot) {
        for (int i = 8; i < words.length; i++) {
            String[] range = words[i].split("-", -1);
            int last = Integer.parseInt(range[range.length - 1]);
            if (Integer.parseInt(range[0]) <= slot && slot <= last) {
                return true;
            }
        }
        return false;
    }

    private static String nodes(Redis server) {
        return ask(server, "CLUSTER", "NODES");
    }

    private static boolean answers(Redis server) {
        try {
            return ask(server, "PING").equals("PONG");
        } catch (UncheckedIOException gone) {
            return false;
        }
    }

    private static String ask(Redis server, String... command) {
        try (RedisCommands commands = server.commands()) {
            return commands.text(command);
        }
    }
}
