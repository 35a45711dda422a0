package io.huddle.mesh;

import com.google.protobuf.ByteString;
import io.huddle.link.LinkFailed;
import io.huddle.link.LinkHandler;
import io.huddle.link.Links;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.store.DatabaseReady;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.Interceptor;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/**
 * The nodes of the mesh, for operators: any node tells of all, and any drains any. Its methods block for some seconds at
 * most. Safe for use by any thread.
 *
 * <p>A node is told to drain over the link, whose answer is a proof. Where there is no link, or none that answers, it is told
 * by a broadcast, and that it heard it shows in what it says of itself then.
 */
@ApplicationScoped
public class Nodes {
    private static final Logger LOG = Logger.getLogger(Nodes.class.getName());

    /** The operation of the link and the type of the broadcast. */
    static final String DRAIN = "node-drain";

    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,17}");
    private static final Duration LINK = Duration.ofSeconds(4);
    private static final Duration HEARD = Duration.ofSeconds(5);
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = 100_000_000;

    /** Before the node joins: what it serves is known before anybody can ask. */
    private static final int FIRST = Interceptor.Priority.LIBRARY_BEFORE;

    @Inject
    private Membership membership;

    @Inject
    private Links links;

    @Inject
    private Ownership ownership;

    @Resource
    private ManagedExecutorService executor;

    void start(@Observes @Priority(FIRST) DatabaseReady ready) {
        links.serve(DRAIN, this::asked);
        membership.onBroadcast(DRAIN, heard -> heard(heard.json()));
    }

    /**
     * The live nodes.
     *
     * @throws Refused {@code unavailable} if it cannot be known now who lives
     */
    public List<NodeInfo> list() {
        try {
            return Answers.of(membership.nodes());
        } catch (RegistryUnavailable away) {
            throw new Refused(Refusal.UNAVAILABLE, "the membership of the mesh does not answer; try again");
        }
    }

    /**
     * The live node of this number.
     *
     * @param number as clients' records name it
     * @throws Refused {@code not-found} if there is none, {@code unavailable} as with {@link #list}
     */
    public NodeInfo find(String number) {
        if (!NUMBER.matcher(number).matches()) {
            throw notFound();
        }
        long wanted = Long.parseLong(number);
        return list().stream()
                .filter(node -> node.number() == wanted)
                .findFirst()
                .orElseThrow(Nodes::notFound);
    }

    /** True if it sends its clients away, or has. */
    public static boolean isDraining(NodeInfo node) {
        String state = node.state().lifecycle();
        return state.equals(Lifecycle.State.DRAINING.label()) || state.equals(Lifecycle.State.STOPPED.label());
    }

    /**
     * Makes a node drain; it has begun when this returns. Idempotent.
     *
     * @throws Refused {@code unavailable} if the node was not reached, and may have heard it all the same; {@code not-found}
     *     if it ended meanwhile
     */
    public void drain(NodeInfo node) {
        if (node.process().equals(membership.process())) {
            ownership.drain();
        } else if (!isToldByLink(node)) {
            tell(node);
            awaitDraining(node);
        }
    }

    private boolean isToldByLink(NodeInfo node) {
        if (!links.isEnabled() || node.linkUrl().isEmpty()) {
            return false;
        }
        try {
            ByteString process = ByteString.copyFromUtf8(node.process());
            Answers.within(LINK.plus(SLACK), links.call(PeerCalls.peer(node), DRAIN, process, LINK));
            return true;
        } catch (LinkFailed | RegistryUnavailable unheard) {
            LOG.log(Level.FINE, "a node was not told over the link to drain", unheard);
            return false;
        }
    }

    private void tell(NodeInfo node) {
        try {
            Answers.of(membership.broadcast(DRAIN, json(node.process()), true));
        } catch (RegistryUnavailable away) {
            throw unreached("neither its link nor the broadcasts of the mesh answer");
        }
    }

    private void awaitDraining(NodeInfo node) {
        long until = System.nanoTime() + HEARD.toNanos();
        while (!isDraining(seen(node))) {
            if (System.nanoTime() >= until || Thread.currentThread().isInterrupted()) {
                throw unreached("its link does not answer, and it gave no sign of having heard the broadcast");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private NodeInfo seen(NodeInfo node) {
        try {
            return Answers.of(membership.node(node.number())).orElseThrow(Nodes::notFound);
        } catch (RegistryUnavailable away) {
            throw unreached("its link does not answer, and the membership of the mesh does not either");
        }
    }

    /** The caller has proven at the handshake that it is a member. */
    private CompletionStage<ByteString> asked(LinkHandler.Call call) {
        if (!call.request().toStringUtf8().equals(membership.process())) {
            return CompletableFuture.failedStage(
                    new LinkFailed(LinkFailed.Reason.REMOTE, PeerCalls.NOT_MINE, false, "another process was meant"));
        }
        // Clients are sent away one by one: not on a thread of the link.
        return CompletableFuture.supplyAsync(
                () -> {
                    ownership.drain();
                    return ByteString.EMPTY;
                },
                executor);
    }

    private void heard(String json) {
        if (process(json).filter(membership.process()::equals).isPresent()) {
            ownership.drain();
        }
    }

    static String json(String process) {
        return Json.createObjectBuilder().add("process", process).build().toString();
    }

    /** The process that a broadcast means; empty if it cannot be read. */
    static Optional<String> process(String json) {
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            return Optional.ofNullable(reader.readObject().getString("process", null));
        } catch (RuntimeException unreadable) {
            LOG.log(Level.FINE, "another node said something about draining that cannot be read", unreadable);
            return Optional.empty();
        }
    }

    private static Refused notFound() {
        return new Refused(Refusal.NOT_FOUND, "no live node of the mesh has this number");
    }

    private static Refused unreached(String why) {
        return new Refused(
                Refusal.UNAVAILABLE, "the node cannot be reached: " + why + "; try again, or end its process");
    }
}
