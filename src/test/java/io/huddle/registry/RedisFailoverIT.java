package io.huddle.registry;

import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.Awaiting;
import io.huddle.harness.RedisCluster;
import io.huddle.harness.RedisCommands;
import io.huddle.registry.Written.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A master of a cluster dies and its replica takes over. What the replica had acknowledged by then is there, the rest is
 * lost; its shards are in no epoch until another begins, so that nobody takes an absence there for a proof.
 */
class RedisFailoverIT {
    private static final List<String> CLIENTS =
            IntStream.range(0, 100).mapToObj(i -> "client-" + i).toList();

    @Test
    void shards_ofAMasterThatDied_keepWhatWasReplicatedAndWaitForAnotherEpoch() {
        try (RedisCluster cluster = RedisCluster.create();
                RedisRegistries registries = RedisRegistries.on(cluster)) {
            RegistryScene on = new RegistryScene(registries.open(RegistryLimits.DEFAULT), registries::pass);
            CLIENTS.forEach(client -> on.register(N1, unordered(client, "c-" + client)));
            List<ClientRecord> before = done(on.backend.listClients());
            assertThat(before).hasSize(CLIENTS.size());
            awaitReplica(cluster, registries);
            cluster.killMasterOf(registries.recordsOf("client-0"));
            Awaiting.until(Duration.ofSeconds(20), "an answer of every shard", () -> areAnswering(on.backend));

            assertThat(on.record("client-0").connectionId()).isEqualTo("c-client-0");
            assertThatThrownBy(() -> done(on.backend.listClients())).hasRootCauseInstanceOf(RegistryUnavailable.class);
            Warrant late = on.warrant(N1);
            List<Status> statuses = new ArrayList<>();
            for (String client : CLIENTS) {
                statuses.add(done(on.backend.updateMetadata(late, client, "c-" + client, "{}"))
                        .status());
            }
            assertThat(statuses.get(0)).isEqualTo(Status.OTHER_EPOCH);
            assertThat(statuses).contains(Status.OK).containsOnly(Status.OK, Status.OTHER_EPOCH);
            assertThat(done(on.backend.refreshNode(on.warrant(N1))).status()).isEqualTo(Status.OTHER_EPOCH);

            done(on.backend.beginEpoch("epoch-2"));
            List<ClientRecord> after = done(on.backend.listClients());
            assertThat(after).extracting(ClientRecord::clientId).isEqualTo(ids(before));
            // What was refused changed nothing; the other shards have taken it meanwhile.
            assertThat(after)
                    .filteredOn(record -> isRefused(record, statuses))
                    .isEqualTo(before.stream()
                            .filter(record -> isRefused(record, statuses))
                            .toList());
            assertThat(after)
                    .filteredOn(record -> !isRefused(record, statuses))
                    .allSatisfy(record -> assertThat(record.metadata()).isEqualTo("{}"));
            Warrant next = RegistryScene.inEpoch(on.warrant(N1), "epoch-2");
            for (String client : CLIENTS) {
                assertThat(done(on.backend.updateMetadata(next, client, "c-" + client, "{\"b\":1}"))
                                .status())
                        .isEqualTo(Status.OK);
            }
        }
    }

    private static List<String> ids(List<ClientRecord> records) {
        return records.stream().map(ClientRecord::clientId).toList();
    }

    private static boolean isRefused(ClientRecord record, List<Status> statuses) {
        return statuses.get(CLIENTS.indexOf(record.clientId())) == Status.OTHER_EPOCH;
    }

    /** Writes after everything else, and waits until the replica has that: what was before is then there too. */
    private static void awaitReplica(RedisCluster cluster, RedisRegistries registries) {
        String key = registries.recordsOf("client-0").replace("clients", "waited");
        try (RedisCommands commands = cluster.masterOf(key).commands()) {
            commands.ask("SET", key, "1");
            Awaiting.until("the replica has it", () -> Long.valueOf(1).equals(commands.ask("WAIT", "1", "1000")));
        }
    }

    private static boolean areAnswering(RegistryBackend registry) {
        try {
            for (String client : CLIENTS) {
                registry.getClient(client).toCompletableFuture().join();
            }
            return true;
        } catch (CompletionException notYet) {
            return false;
        }
    }
}
