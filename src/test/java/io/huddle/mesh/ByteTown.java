package io.huddle.mesh;

import com.google.protobuf.ByteString;
import io.huddle.harness.Injected;
import io.huddle.link.Links;
import io.huddle.link.TestLinks;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.membership.NodeState;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import io.huddle.registry.RegistryBackend;
import io.huddle.registry.Sight;
import io.huddle.store.DatabaseReady;
import io.huddle.store.Dialect;
import io.huddle.stream.ByteSource;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Streams;
import io.huddle.stream.TestClient;
import io.huddle.web.Traces;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Nodes with clients, linked with each other in one JVM; who lives where is known to all. */
final class ByteTown implements AutoCloseable {
    static final String TEAM = "team-a";
    static final Duration DEADLINE = Duration.ofSeconds(20);

    final TestLinks links = new TestLinks();
    private final Map<String, ClientRecord> records = new ConcurrentHashMap<>();
    final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private final Map<Long, Site> sites = new ConcurrentHashMap<>();

    /** One node. */
    final class Site {
        final long number;
        final String process;
        final Map<String, TestClient> here = new ConcurrentHashMap<>();
        final Passages passages = new Passages();
        final Clients clients = new Clients();
        final LocalCalls local = new LocalCalls();
        final Links mine;
        volatile boolean hasLease = true;

        Site(long number) {
            this.number = number;
            this.process = "process-" + number;
            mine = links.of(number, process);
            Membership membership = new Member(this);
            Streams streams = new Found(this);
            Injected.into(Injected.into(passages, "links", mine), "membership", membership);
            Injected.into(passages, "metrics", new MeshMetrics());
            Injected.into(Injected.into(local, "membership", membership), "ownership", new Owning());
            Injected.into(Injected.into(clients, "streams", streams), "registry", registry());
            Injected.into(Injected.into(clients, "membership", membership), "links", mine);
            Injected.into(Injected.into(clients, "local", local), "passages", passages);
            Injected.into(Injected.into(clients, "metrics", new MeshMetrics()), "traces", new Untraced());
            clients.prepare();
            PeerCalls peers = new PeerCalls();
            Injected.into(Injected.into(peers, "links", mine), "streams", streams);
            Injected.into(Injected.into(peers, "membership", membership), "local", local);
            Injected.into(peers, "passages", passages);
            peers.start(new DatabaseReady(Dialect.H2));
            passages.start(new DatabaseReady(Dialect.H2));
        }

        TestClient connect(String id) {
            TestClient client = new TestClient(id, TEAM);
            here.put(id, client);
            records.put(id, record(id, client.stream.connectionId()));
            return client;
        }

        ClientRecord record(String id, String connection) {
            return new ClientRecord(
                    id, number, process, connection, State.ACTIVE, 1, null, 0, List.of(TEAM), 1, "mark", 1, "{}");
        }

        /** A call as {@code uCall} makes it: the byte stream of this number goes with it. */
        CompletableFuture<Answered> call(TestClient caller, String client, @Nullable Integer bytes) {
            return call(caller, client, bytes, DEADLINE);
        }

        CompletableFuture<Answered> call(TestClient caller, String client, @Nullable Integer bytes, Duration deadline) {
            ByteSource source = bytes == null ? null : receiver -> caller.stream.receiveBytes(bytes, receiver);
            return clients.exchange(
                            Reach.of(Set.of(TEAM)),
                            caller.stream.connectionId(),
                            client,
                            "upload",
                            "1",
                            source,
                            deadline)
                    .thenApply(answer -> {
                        ByteSource back = answer.bytes();
                        return new Answered(answer.data(), back == null ? 0 : local.pour(back, caller.stream));
                    })
                    .toCompletableFuture();
        }

        private RegistryBackend registry() {
            return (RegistryBackend) Proxy.newProxyInstance(
                    ByteTown.class.getClassLoader(),
                    new Class<?>[] {RegistryBackend.class},
                    (proxy, method, given) -> CompletableFuture.completedFuture(
                            new Sight(records.get((String) given[0]), unreadable.contains(given[0]), null, 0)));
        }
    }

    /** @param stream the number of the answer's byte stream at the caller, zero for none */
    record Answered(String data, int stream) {}

    private final class Member extends Membership {
        private final Site site;

        Member(Site site) {
            this.site = site;
        }

        @Override
        public boolean mayDeliver() {
            return site.hasLease;
        }

        @Override
        public String process() {
            return site.process;
        }

        @Override
        public CompletionStage<Optional<NodeInfo>> route(long number) {
            return CompletableFuture.completedFuture(Optional.ofNullable(sites.get(number))
                    .map(to -> new NodeInfo(
                            to.number, to.process, "n", 1, "ws://localhost/mesh", "", NodeState.of("ready"), 9)));
        }
    }

    private static final class Found extends Streams {
        private final Site site;

        Found(Site site) {
            this.site = site;
        }

        @Override
        public Optional<ClientStream> find(String client) {
            return Optional.ofNullable(site.here.get(client))
                    .map(one -> one.stream)
                    .filter(ClientStream::isPublic);
        }
    }

    private static final class Owning extends Ownership {
        @Override
        boolean isOwner(ClientStream stream) {
            return true;
        }
    }

    private static final class Untraced extends Traces {
        @Override
        public @Nullable String current() {
            return null;
        }
    }

    Site add(long number) {
        Site site = new Site(number);
        sites.put(number, site);
        return site;
    }

    /** What the registry says of this client from now on. */
    void record(String id, @Nullable ClientRecord record) {
        records.compute(id, (key, before) -> record);
    }

    static ByteString bytes(int count) {
        byte[] all = new byte[count];
        new Random(count).nextBytes(all);
        return ByteString.copyFrom(all);
    }

    @Override
    public void close() {
        links.close();
    }
}
