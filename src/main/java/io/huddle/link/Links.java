package io.huddle.link;

import com.google.protobuf.ByteString;
import io.huddle.membership.Membership;
import io.huddle.setting.Setting;
import io.huddle.time.DatabaseClock;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The links of this node. Safe for use by any thread; nothing blocks. */
@ApplicationScoped
public class Links {
    private static final Logger LOG = Logger.getLogger(Links.class.getName());
    private static final int WATCH_MS = 100;
    private static final int NONCES = 10_000;

    @Inject
    private Membership membership;

    @Inject
    private LinkMetrics metrics;

    @Inject
    private DatabaseClock clock;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    private final SecureRandom random = new SecureRandom();
    private final MeshAddress address = MeshAddress.configured();
    private final Limits limits = Limits.configured();
    private final Operations operations = new Operations();
    private final Alarm alarm = Alarm.own();
    private final Pins pins = new Pins(2 * limits.peers());
    private @Nullable KeyOfProcess key;
    private @Nullable Switchboard switchboard;
    private @Nullable Gate gate;
    private @Nullable ScheduledFuture<?> watching;

    /**
     * Reads what is configured, so that a mistake stops the start.
     *
     * @param context whose other paths must leave that of the links alone
     * @throws IllegalStateException naming the setting or the servlet, and never a secret
     */
    public static void check(ServletContext context) {
        MeshAddress.configured();
        for (ServletRegistration each : context.getServletRegistrations().values()) {
            boolean isOther = !MeshServlet.class.getName().equals(each.getClassName());
            if (isOther && each.getMappings().stream().anyMatch(MeshAddress::overlaps)) {
                throw new IllegalStateException(
                        "the servlet " + each.getName() + " lies over " + MeshAddress.PATH + ", where nodes meet");
            }
        }
    }

    @PostConstruct
    void start() {
        if (!address.isEnabled()) {
            return;
        }
        Membership members = membership;
        KeyOfProcess made = new KeyOfProcess();
        key = made;
        Proofs proofs = new Proofs(address.secrets(), made, MeshAddress.PATH);
        ProofClock wallClock =
                new ProofClock(() -> clock.read().toEpochMilli(), System::currentTimeMillis, System::nanoTime);
        Dialer dialer = new Dialer(
                proofs,
                () -> self(members),
                pins,
                wallClock::now,
                this::nonce,
                executor,
                limits.frameBytes(),
                Setting.MESH_ALLOW_PLAIN.isOn(),
                this::make,
                this::admit);
        Switchboard board = new Switchboard(
                limits,
                operations,
                System::nanoTime,
                metrics::add,
                alarm,
                () -> self(members),
                dialer::dial,
                link -> pins.release(link.ends().number()));
        switchboard = board;
        gate = new Gate(
                proofs,
                () -> self(members),
                members::node,
                board::hasRoom,
                pins,
                new SeenNonces(NONCES, System::nanoTime),
                wallClock::now,
                this::nonce,
                limits.peers());
        metrics.links(board::size);
        watching = scheduler.scheduleWithFixedDelay(() -> watch(board), WATCH_MS, WATCH_MS, TimeUnit.MILLISECONDS);
    }

    @PreDestroy
    void stop() {
        if (watching != null) {
            watching.cancel(false);
        }
        if (switchboard != null) {
            switchboard.stop();
        }
    }

    /** True if a secret and an address are configured, so that other nodes can be reached. */
    public boolean isEnabled() {
        return address.isEnabled();
    }

    /** Where this node's link is reached, for the membership; empty if not enabled. */
    public String url() {
        return address.url();
    }

    /** The public key of this node's end, for the membership; empty if not enabled. */
    public String key() {
        return key == null ? "" : key.published();
    }

    /** True if the peer has shown life on its link within the last two pings: a cached route may be trusted. */
    public boolean isFresh(long number, String process) {
        Switchboard board = switchboard;
        return board != null && board.isFresh(number, process);
    }

    /**
     * Calls an operation of a peer; connects first if need be, within the deadline.
     *
     * @param operation the name its handler is known by
     * @param request bytes for the handler
     * @param deadline from now to the answer; what is left of it travels with the call
     * @return on any thread, not to be worked on for long; exceptionally a {@link LinkFailed}
     */
    public CompletionStage<ByteString> call(Peer peer, String operation, ByteString request, Duration deadline) {
        Switchboard board = switchboard;
        return board == null
                ? CompletableFuture.failedStage(
                        new LinkFailed(LinkFailed.Reason.NOT_SENT, "this node has no links to others"))
                : board.call(peer, operation, request, deadline);
    }

    /**
     * Opens a stream of bytes to a peer; connects first if need be.
     *
     * @param operation the name its acceptor is known by
     * @param request bytes for the acceptor
     * @return to be written to at once; if no stream comes about, it ends like one that is broken off
     */
    public LinkSender open(Peer peer, String operation, ByteString request) {
        Switchboard board = switchboard;
        if (board != null) {
            return board.open(peer, operation, request);
        }
        LinkSender none = new LinkSender(0);
        none.end(new LinkFailed(LinkFailed.Reason.NOT_SENT, "this node has no links to others"));
        return none;
    }

    /** Takes the streams of an operation; once for each name, before the first link. */
    public void serveBytes(String operation, LinkAcceptor acceptor) {
        operations.serveBytes(operation, acceptor);
    }

    /** Serves an operation; once for each name, before the first link. */
    public void serve(String operation, LinkHandler handler) {
        operations.serve(operation, handler);
    }

    Gate.@Nullable Judgement judge(@Nullable String header) {
        Gate at = gate;
        if (at == null) {
            return null;
        }
        Gate.Judgement judgement = at.judge(header);
        metrics.add(
                switch (judgement.status()) {
                    case 0 -> Measured.HANDSHAKE_ACCEPTED;
                    case Gate.FORBIDDEN -> Measured.HANDSHAKE_FORBIDDEN;
                    default -> Measured.HANDSHAKE_FULL;
                },
                1);
        return judgement;
    }

    /** The end of a link that a peer opens. If the platform never opens it, what was held for it is given back. */
    LinkSocket socket(Link.Ends ends) {
        AtomicBoolean settled = new AtomicBoolean();
        Runnable calledOff = alarm.after(limits.connectNanos(), () -> {
            if (settled.compareAndSet(false, true)) {
                abandon(ends);
            }
        });
        return new LinkSocket(limits.frameBytes(), executor, (wire, closer, ready) -> {
            calledOff.run();
            if (!settled.compareAndSet(false, true)) {
                return null;
            }
            Link link = make(ends, wire, closer);
            ready.accept(link);
            admit(link);
            return link;
        });
    }

    /** The upgrade was not carried through. */
    void abandon(Link.Ends ends) {
        pins.release(ends.number());
    }

    private Link make(Link.Ends ends, Writer.Wire wire, Link.Closer closer) {
        return new Link(ends, board().shared(), wire, closer);
    }

    private void admit(Link link) {
        board().admit(link);
    }

    private Switchboard board() {
        if (switchboard == null) {
            throw new IllegalStateException("no link without an address and a secret");
        }
        return switchboard;
    }

    private byte[] nonce() {
        byte[] nonce = new byte[Proofs.NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    private static Optional<Self> self(Membership members) {
        return members.lease().map(lease -> new Self(lease.number(), lease.process()));
    }

    private static void watch(Switchboard board) {
        try {
            board.watch();
        } catch (RuntimeException failed) {
            LOG.log(Level.SEVERE, "the links could not be looked after; the next try follows", failed);
        }
    }
}
