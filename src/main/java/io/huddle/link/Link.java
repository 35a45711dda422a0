package io.huddle.link;

import com.google.protobuf.ByteString;
import io.huddle.link.wire.Header;
import io.huddle.link.wire.Kind;
import io.huddle.link.wire.Refusal;
import io.huddle.web.Causes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One link to one peer, from its handshake to its end. Safe for use by any thread; {@link #receive} by one at a time.
 *
 * <p>It is open, then perhaps retiring, then dead. A retiring link starts nothing more and is closed when both sides have
 * said so and all is answered: that is how an idle link and the second of two links between a pair end without failing a
 * call. When a link dies, calls that were written are indeterminate and those that only waited were not sent.
 */
final class Link {
    private static final Logger LOG = Logger.getLogger(Link.class.getName());
    private static final int NORMAL = 1000;
    private static final int OVERLOADED = 1011;
    private static final int BROKEN = 4000;
    private static final int SILENT = 4001;
    private static final int CODE_LENGTH = 256;
    private static final int TEXT_LENGTH = 4_096;
    /** What goes out although the buffer is full, among pings: answers of this size. */
    private static final int SMALL_BYTES = 512;
    /** What a call's header takes besides the name of its operation. */
    private static final int HEADER_BYTES = 64;

    /**
     * Who the two are.
     *
     * @param own the number that this node proved itself by
     * @param dialer the process of whoever opened it
     */
    record Ends(long own, long number, String process, String dialer, int version) {}

    /** Closes the socket, on a thread that may wait for it. */
    @FunctionalInterface
    interface Closer {
        void close(int code, String reason);
    }

    private final Ends ends;
    private final Shared shared;
    private final Limits limits;
    private final Closer closer;
    private final Writer writer;
    private final FrameReader reader;
    private final Answers answers;
    private final AtomicBoolean dead = new AtomicBoolean();
    private final Map<Long, LinkSender> senders = new ConcurrentHashMap<>();
    private final Map<Long, Incoming> receivers = new ConcurrentHashMap<>();
    private final Map<Long, Outgoing> pending = new ConcurrentHashMap<>();
    private final Set<Long> running = ConcurrentHashMap.newKeySet();
    private final Deque<long[]> pings = new ArrayDeque<>();
    private volatile long lastId;
    private volatile boolean retiring;
    private volatile boolean peerDrained;
    private volatile long retiredAt;
    private volatile long workedAt;
    private volatile long provenAt;
    private long pingedAt;
    private long pingId;

    Link(Ends ends, Shared shared, Writer.Wire wire, Closer closer) {
        this.ends = ends;
        this.shared = shared;
        this.limits = shared.limits();
        this.closer = closer;
        this.writer = new Writer(
                wire,
                limits.bufferBytes(),
                shared.clock(),
                shared.tally(),
                failed -> end(Measured.ENDED_LOST, "the link was lost", BROKEN));
        this.reader = new FrameReader(limits.frameBytes());
        this.answers = new Answers(limits.rememberedNanos(), limits.rememberedBytes());
        long now = now();
        this.workedAt = now;
        this.provenAt = now;
        this.pingedAt = now;
    }

    Ends ends() {
        return ends;
    }

    /** True while it starts calls. */
    boolean isOpen() {
        return !retiring && !dead.get();
    }

    boolean isDead() {
        return dead.get();
    }

    /** True if the peer has answered one of the last two pings: what counts is when that one was sent. */
    boolean isFresh(long now) {
        return !dead.get() && now - provenAt <= 2 * limits.pingNanos() + limits.pingNanos() / 2;
    }

    boolean hasWork() {
        return !pending.isEmpty()
                || !running.isEmpty()
                || !senders.isEmpty()
                || !receivers.isEmpty()
                || !writer.isIdle();
    }

    /**
     * Takes a call to be written; false if the link starts no more, and then the call is as it was. A call for which there
     * is no room has failed.
     */
    boolean offer(Outgoing call) {
        int weight = HEADER_BYTES + call.operation().length() + call.request().size();
        Writer.Item item = new Writer.Item(weight, now -> start(call, now), call);
        call.at(over -> {
            writer.withdraw(item);
            pending.remove(over.id(), over);
        });
        Writer.Offer offer = writer.offer(item);
        if (offer == Writer.Offer.CLOSED) {
            return false;
        }
        workedAt = now();
        if (offer == Writer.Offer.FULL) {
            shared.tally().add(Measured.FULL_BUFFER);
            call.fail(new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "too much waits to be written to the peer"));
        }
        return true;
    }

    /** The frame of a call whose turn it is. Only the writer asks, so numbers grow in the order of the wire. */
    private @Nullable Frame start(Outgoing call, long now) {
        long left = TimeUnit.NANOSECONDS.toMicros(call.expiresAt() - now);
        // Its alarm is about to ring, and tells that it was not sent.
        if (left <= 0 || dead.get()) {
            if (dead.get()) {
                call.lose("the link was lost");
            }
            return null;
        }
        long id = lastId + 1;
        call.id(id);
        pending.put(id, call);
        if (!call.write()) {
            pending.remove(id);
            return null;
        }
        lastId = id;
        if (dead.get() && pending.remove(id) != null) {
            call.lose("the link was lost");
        }
        return new Frame(
                Header.newBuilder()
                        .setKind(call.sender() == null ? Kind.CALL : Kind.OPEN)
                        .setId(id)
                        .setOperation(call.operation())
                        .setResidualMicros(left)
                        .build(),
                call.request());
    }

    /** Takes bytes as they come. */
    void receive(ByteBuffer part) {
        if (dead.get()) {
            return;
        }
        shared.tally().add(Measured.BYTES_IN, part.remaining());
        writer.cork();
        try {
            reader.read(part, this::take);
        } catch (MalformedFrame broken) {
            LOG.log(Level.WARNING, "a link is closed for {0}", broken.getMessage());
            end(Measured.ENDED_BROKEN, "the peer broke the protocol", BROKEN);
        } finally {
            writer.uncork();
        }
    }

    /** The socket is gone. */
    void lost() {
        end(Measured.ENDED_LOST, "the link was lost", NORMAL);
    }

    /** Ends it at once, for instance since the node stops. */
    void close(String why) {
        end(Measured.ENDED, why, NORMAL);
    }

    /** Starts nothing more; what waits goes another way. Idempotent. */
    void retire() {
        synchronized (this) {
            if (retiring || dead.get()) {
                return;
            }
            retiring = true;
            retiredAt = now();
        }
        List<Outgoing> waiting = writer.closeCalls();
        control(Frame.of(Header.newBuilder().setKind(Kind.DRAIN)));
        shared.retired().accept(this, waiting);
    }

    /** What time brings: pings, and an end for a link that is silent, idle or done. To be asked by one thread at a time. */
    void watch(long now) {
        if (dead.get()) {
            return;
        }
        if (isSilent(now)) {
            end(Measured.ENDED_SILENT, "the peer does not answer", SILENT);
        } else if (retiring) {
            finish(now);
        } else if (hasWork()) {
            workedAt = now;
        } else if (now - workedAt > limits.idleNanos()) {
            retire();
        }
        if (now - pingedAt >= limits.pingNanos()) {
            ping(now);
        }
    }

    private void finish(long now) {
        boolean hasStreams = !senders.isEmpty() || !receivers.isEmpty();
        if ((peerDrained && !hasWork()) || (!hasStreams && now - retiredAt > limits.idleNanos())) {
            end(Measured.ENDED, "the link was closed", NORMAL);
        }
    }

    private boolean isSilent(long now) {
        synchronized (pings) {
            long[] oldest = pings.peekFirst();
            return oldest != null && now - oldest[1] >= limits.missedPings() * limits.pingNanos();
        }
    }

    private void ping(long now) {
        long id;
        synchronized (pings) {
            pingedAt = now;
            pingId++;
            id = pingId;
            pings.addLast(new long[] {id, now});
        }
        control(Frame.of(Header.newBuilder().setKind(Kind.PING).setId(id)));
    }

    private void ponged(long id, long received) {
        synchronized (pings) {
            // A pong answers for the pings before it as well, and one that was never asked for proves nothing.
            while (!pings.isEmpty() && pings.getFirst()[0] <= id && id <= pingId) {
                provenAt = pings.removeFirst()[1];
            }
        }
        pending.forEach((number, call) -> {
            if (number <= received) {
                call.arrived();
            }
        });
    }

    private void take(Frame frame) throws MalformedFrame {
        Header header = frame.header();
        switch (header.getKind()) {
            case CALL, OPEN -> called(frame);
            case RESULT, FAILURE, REFUSED -> answered(frame);
            case PING ->
                control(Frame.of(Header.newBuilder()
                        .setKind(Kind.PONG)
                        .setId(header.getId())
                        .setReceived(received())));
            case PONG -> ponged(header.getId(), header.getReceived());
            case CHUNK, FINISH, DESTROY, CREDIT -> streamed(frame);
            case DRAIN -> {
                peerDrained = true;
                retire();
            }
            default -> throw new MalformedFrame("a frame of a kind that is not known");
        }
    }

    private long received() {
        synchronized (answers) {
            return answers.highest();
        }
    }

    private void called(Frame frame) {
        Header header = frame.header();
        long id = header.getId();
        long now = now();
        workedAt = now;
        boolean isNew;
        Frame kept;
        synchronized (answers) {
            isNew = answers.isNew(id);
            kept = isNew ? null : answers.answer(id, now);
        }
        if (!isNew) {
            repeated(id, kept);
            return;
        }
        if (header.getResidualMicros() <= 0) {
            shared.tally().add(Measured.SERVED_LATE);
            conclude(id, refused(id, Refusal.LATE));
        } else if (header.getKind() == Kind.OPEN) {
            opened(frame, shared.operations().stream(header.getOperation()));
        } else {
            begin(frame, shared.operations().call(header.getOperation()), now);
        }
    }

    private void begin(Frame frame, @Nullable LinkHandler handler, long now) {
        long id = frame.header().getId();
        if (handler == null) {
            conclude(id, failure(id, LinkFailed.UNKNOWN_OPERATION, false, ""));
        } else if (!shared.budget().take(frame.body().size())) {
            shared.tally().add(Measured.SERVED_OVERLOADED);
            conclude(id, refused(id, Refusal.OVERLOADED));
        } else {
            run(handler, frame, now);
        }
    }

    private void opened(Frame frame, @Nullable LinkAcceptor acceptor) {
        long id = frame.header().getId();
        if (acceptor == null) {
            conclude(id, failure(id, LinkFailed.UNKNOWN_OPERATION, false, ""));
        } else if (receivers.size() >= limits.streams()) {
            shared.tally().add(Measured.FULL_STREAMS);
            conclude(id, refused(id, Refusal.OVERLOADED));
        } else {
            conclude(id, accepted(frame, acceptor));
        }
    }

    private Frame accepted(Frame frame, LinkAcceptor acceptor) {
        long id = frame.header().getId();
        LinkReceiver receiver;
        try {
            receiver = acceptor.accept(new LinkHandler.Call(
                    ends.number(),
                    ends.process(),
                    frame.body(),
                    Duration.ofNanos(
                            TimeUnit.MICROSECONDS.toNanos(frame.header().getResidualMicros()))));
        } catch (RuntimeException refused) {
            return outcome(id, null, refused);
        }
        Incoming incoming = new Incoming(
                receiver,
                limits.windowBytes(),
                bytes -> control(Frame.of(fromReceiver(Kind.CREDIT, id).setCredit(bytes))),
                () -> {
                    receivers.remove(id);
                    control(Frame.of(fromReceiver(Kind.FINISH, id)));
                },
                reason -> {
                    receivers.remove(id);
                    control(Frame.of(withReason(fromReceiver(Kind.DESTROY, id), reason)));
                });
        receivers.put(id, incoming);
        if (dead.get() && receivers.remove(id) != null) {
            incoming.destroy(LinkReceiver.LINK_LOST);
        }
        receiver.bind(incoming::breakOff);
        return new Frame(
                Header.newBuilder()
                        .setKind(Kind.RESULT)
                        .setId(id)
                        .setCredit(limits.windowBytes())
                        .build(),
                ByteString.EMPTY);
    }

    private static Header.Builder fromReceiver(Kind kind, long id) {
        return Header.newBuilder().setKind(kind).setId(id).setFromReceiver(true);
    }

    /** Queues a frame of a stream that this node sends. */
    void bulk(Frame frame) {
        writer.offerBulk(Writer.Item.of(frame));
    }

    /** Breaks off a stream that this node sends. */
    void destroyed(long id, @Nullable String reason) {
        senders.remove(id);
        control(Frame.of(withReason(Header.newBuilder().setKind(Kind.DESTROY).setId(id), reason)));
    }

    private static Header.Builder withReason(Header.Builder header, @Nullable String reason) {
        return reason == null ? header : header.setReason(fit(reason, TEXT_LENGTH));
    }

    /**
     * A frame of a stream: of one that this node receives, or an answer to one that it sends. The two count apart; a frame
     * of a stream that has ended is late and means nothing.
     */
    private void streamed(Frame frame) throws MalformedFrame {
        Header header = frame.header();
        long id = header.getId();
        workedAt = now();
        if (header.getFromReceiver()) {
            answeredStream(header, sender(id));
            return;
        }
        Incoming incoming = receivers.get(id);
        if (incoming == null) {
            return;
        }
        switch (header.getKind()) {
            case CHUNK -> {
                if (!incoming.chunk(frame.body())) {
                    throw new MalformedFrame("a chunk beyond what the stream may send");
                }
            }
            case FINISH -> incoming.finish();
            default -> {
                receivers.remove(id);
                incoming.destroy(header.hasReason() ? header.getReason() : null);
            }
        }
    }

    /** Also of a stream whose opening is not answered yet: a word of its receiver may overtake that answer. */
    private @Nullable LinkSender sender(long id) {
        LinkSender open = senders.get(id);
        Outgoing opening = open == null ? pending.get(id) : null;
        return opening == null ? open : opening.sender();
    }

    private void answeredStream(Header header, @Nullable LinkSender sender) {
        if (sender == null) {
            return;
        }
        if (header.getKind() == Kind.CREDIT) {
            sender.credited(header.getCredit());
            return;
        }
        senders.remove(header.getId());
        if (header.getKind() == Kind.FINISH) {
            sender.taken();
        } else {
            sender.end(new LinkFailed(
                    LinkFailed.Reason.REMOTE,
                    LinkFailed.DESTROYED,
                    false,
                    header.hasReason() ? header.getReason() : null));
        }
    }

    /** It is being carried out, and then its answer comes; or it was, and what is still known of it is said. */
    private void repeated(long id, @Nullable Frame kept) {
        shared.tally().add(Measured.SERVED_REPEATED);
        if (!running.contains(id)) {
            reply(kept == null ? refused(id, Refusal.FORGOTTEN) : kept);
        }
    }

    private void run(LinkHandler handler, Frame frame, long now) {
        Header header = frame.header();
        long id = header.getId();
        int size = frame.body().size();
        long residual = TimeUnit.MICROSECONDS.toNanos(header.getResidualMicros());
        running.add(id);
        CompletionStage<ByteString> answer;
        try {
            answer = handler.handle(
                    new LinkHandler.Call(ends.number(), ends.process(), frame.body(), Duration.ofNanos(residual)));
        } catch (RuntimeException failed) {
            served(id, size, now + residual, null, failed);
            return;
        }
        answer.whenComplete((result, failed) -> served(id, size, now + residual, result, failed));
    }

    private void served(long id, int size, long expiresAt, @Nullable ByteString result, @Nullable Throwable failed) {
        shared.budget().release(size);
        workedAt = now();
        if (now() - expiresAt > 0) {
            // Its caller has given up, and was told what is known.
            shared.tally().add(Measured.SERVED_LATE);
            running.remove(id);
            return;
        }
        shared.tally().add(Measured.SERVED);
        conclude(id, outcome(id, result, failed));
        running.remove(id);
    }

    private Frame outcome(long id, @Nullable ByteString result, @Nullable Throwable failed) {
        Throwable cause = failed == null ? null : Causes.of(failed);
        if (cause instanceof LinkFailed known && known.reason() == LinkFailed.Reason.REMOTE && known.code() != null) {
            return failure(id, known.code(), known.isUserError(), String.valueOf(known.getMessage()));
        }
        if (cause != null || result == null) {
            LOG.log(Level.FINE, "a call of another node failed here", cause);
            return failure(id, LinkFailed.FAILED, false, "");
        }
        if (result.size() > limits.frameBytes()) {
            return failure(id, LinkFailed.RESULT_TOO_LARGE, false, "");
        }
        return new Frame(Header.newBuilder().setKind(Kind.RESULT).setId(id).build(), result);
    }

    private void conclude(long id, Frame answer) {
        synchronized (answers) {
            answers.keep(id, answer, now());
        }
        reply(answer);
    }

    /**
     * Queues an answer. Of one for which there is no room the caller hears the little there is to know; one with many bytes
     * to hear ends nobody else's calls.
     */
    private void reply(Frame answer) {
        if (writer.offer(Writer.Item.of(answer)) != Writer.Offer.FULL) {
            return;
        }
        shared.tally().add(Measured.FULL_BUFFER);
        if (answer.bytes() <= SMALL_BYTES) {
            control(answer);
            return;
        }
        Header header = answer.header();
        boolean isFailure = header.getKind() == Kind.FAILURE;
        control(failure(
                header.getId(),
                isFailure ? header.getCode() : LinkFailed.RESULT_NOT_SENT,
                isFailure && header.getUserError(),
                ""));
    }

    private void control(Frame frame) {
        if (!writer.offerControl(frame) && !dead.get()) {
            end(Measured.ENDED_BROKEN, "the peer does not read", OVERLOADED);
        }
    }

    private void answered(Frame frame) throws MalformedFrame {
        Header header = frame.header();
        workedAt = now();
        Outgoing call = pending.remove(header.getId());
        if (call == null) {
            if (header.getId() <= 0 || header.getId() > lastId) {
                throw new MalformedFrame("an answer to a call that never was");
            }
            // Its caller has given up; a stream that was opened all the same is not wanted.
            if (header.getCredit() > 0) {
                destroyed(header.getId(), null);
            }
            return;
        }
        LinkSender sender = call.sender();
        if (sender != null && header.getKind() == Kind.RESULT) {
            senders.put(header.getId(), sender);
            sender.opened(this, header.getId(), header.getCredit());
            if (dead.get()) {
                lose(sender);
            }
        }
        switch (header.getKind()) {
            case RESULT -> call.succeed(frame.body());
            case FAILURE ->
                call.fail(new LinkFailed(
                        LinkFailed.Reason.REMOTE,
                        header.getCode(),
                        header.getUserError(),
                        frame.body().toStringUtf8()));
            default -> call.fail(meaning(header.getRefusal()));
        }
    }

    private static LinkFailed meaning(Refusal refusal) {
        return switch (refusal) {
            case OVERLOADED -> new LinkFailed(LinkFailed.Reason.BACKPRESSURE, "the peer has too much under way");
            case LATE -> new LinkFailed(LinkFailed.Reason.NOT_SENT_IN_TIME, "the call arrived after its deadline");
            default -> new LinkFailed(LinkFailed.Reason.INDETERMINATE, "the peer keeps no answer to the call");
        };
    }

    private static Frame refused(long id, Refusal refusal) {
        return Frame.of(Header.newBuilder().setKind(Kind.REFUSED).setId(id).setRefusal(refusal));
    }

    private static Frame failure(long id, String code, boolean userError, String text) {
        return new Frame(
                Header.newBuilder()
                        .setKind(Kind.FAILURE)
                        .setId(id)
                        .setCode(fit(code, CODE_LENGTH))
                        .setUserError(userError)
                        .build(),
                ByteString.copyFromUtf8(fit(text, TEXT_LENGTH)));
    }

    private static String fit(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most);
    }

    private void end(Measured how, String why, int code) {
        if (!dead.compareAndSet(false, true)) {
            return;
        }
        shared.tally().add(how);
        List<Outgoing> waiting = writer.closeCalls();
        writer.close();
        waiting.forEach(call -> call.lose(why));
        new ArrayList<>(pending.values()).forEach(call -> call.lose(why));
        pending.clear();
        new ArrayList<>(senders.values()).forEach(this::lose);
        new ArrayList<>(receivers.values()).forEach(incoming -> incoming.destroy(LinkReceiver.LINK_LOST));
        senders.clear();
        receivers.clear();
        shared.ended().accept(this);
        closer.close(code, why);
    }

    private void lose(LinkSender sender) {
        sender.end(new LinkFailed(LinkFailed.Reason.INDETERMINATE, "the link was lost"));
    }

    private long now() {
        return shared.clock().getAsLong();
    }
}
