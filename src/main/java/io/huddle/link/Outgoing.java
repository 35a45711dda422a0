package io.huddle.link;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A call of this node from its beginning to its one end. Safe for use by any thread.
 *
 * <p>It waits, then it is written, then it is over; whatever ends it is judged by which of the two it was: a call that only
 * waited was certainly not carried out.
 */
final class Outgoing {
    private enum State {
        WAITING,
        WRITTEN,
        OVER
    }

    /** Where the call is at the moment, told when it is over. */
    @FunctionalInterface
    interface Home {
        void forget(Outgoing call);
    }

    private final Peer peer;
    private final String operation;
    private final ByteString request;
    private final long expiresAt;
    private final CompletableFuture<ByteString> answer = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile @Nullable Home home;
    private volatile boolean arrived;
    private volatile long id;
    private volatile long place;

    private final @Nullable LinkSender sender;

    Outgoing(Peer peer, String operation, ByteString request, long expiresAt) {
        this(peer, operation, request, expiresAt, null);
    }

    /** @param sender of the stream that this call opens; null for a call that opens none */
    Outgoing(Peer peer, String operation, ByteString request, long expiresAt, @Nullable LinkSender sender) {
        this.sender = sender;
        this.peer = peer;
        this.operation = operation;
        this.request = request;
        this.expiresAt = expiresAt;
    }

    Peer peer() {
        return peer;
    }

    @Nullable
    LinkSender sender() {
        return sender;
    }

    String operation() {
        return operation;
    }

    ByteString request() {
        return request;
    }

    long expiresAt() {
        return expiresAt;
    }

    CompletableFuture<ByteString> answer() {
        return answer;
    }

    /** Its number on its link. */
    long id() {
        return id;
    }

    void id(long given) {
        id = given;
    }

    /** Its place in the line of its pair, zero before it has one. */
    long place() {
        return place;
    }

    void place(long given) {
        place = given;
    }

    boolean isOver() {
        return state.get() == State.OVER;
    }

    /** The peer has told that the call arrived; that moves no deadline. */
    void arrived() {
        arrived = true;
    }

    /**
     * Says where the call will be. To be said before anybody can find it there, so that whoever moves it on says so later;
     * who takes it in looks whether it is over under the lock by which it is forgotten.
     */
    void at(Home where) {
        home = where;
    }

    /** True if it is to be written now, and the caller does it. */
    boolean write() {
        return state.compareAndSet(State.WAITING, State.WRITTEN);
    }

    void succeed(ByteString result) {
        if (end() != State.OVER) {
            answer.complete(result);
        }
    }

    /** Ends it by what the peer said, which is known whatever state it was in. */
    void fail(LinkFailed failure) {
        if (end() != State.OVER) {
            answer.completeExceptionally(failure);
        }
    }

    /** Its time is over. */
    void expire() {
        State was = end();
        if (was == State.WAITING) {
            answer.completeExceptionally(
                    new LinkFailed(LinkFailed.Reason.NOT_SENT_IN_TIME, "the call was not sent before its deadline"));
        } else if (was == State.WRITTEN) {
            answer.completeExceptionally(indeterminate("no answer came before the deadline"));
        }
    }

    /** The way to the peer is gone. */
    void lose(String why) {
        State was = end();
        if (was == State.WAITING) {
            answer.completeExceptionally(new LinkFailed(LinkFailed.Reason.NOT_SENT, why));
        } else if (was == State.WRITTEN) {
            answer.completeExceptionally(indeterminate(why));
        }
    }

    private LinkFailed indeterminate(String why) {
        return new LinkFailed(
                LinkFailed.Reason.INDETERMINATE,
                why + (arrived ? "; the call had arrived" : "; it is not known whether the call arrived"));
    }

    private State end() {
        State was = state.getAndSet(State.OVER);
        Home where = home;
        if (was != State.OVER && where != null) {
            where.forget(this);
        }
        return was;
    }
}
