package io.huddle.client;

import com.google.protobuf.ByteString;
import io.huddle.wire.ByteStreamOperation;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The byte streams of one connection, both ways. Ids of the server's senders are even, of the client's odd.
 *
 * <p>The protocol has no windows: who cannot take more stops reading from the socket, which holds up the whole connection.
 * So the client takes a good deal first, up to half of a limit, and goes on reading once a quarter is left.
 */
final class ByteStreams {
    private final Connection connection;
    private final Timers timers;
    private final Timing timing;

    /** Guards all below and the state of each stream; never held while sending. */
    final ReentrantLock lock = new ReentrantLock();

    /** Signalled when the socket has taken a chunk, and at the end. */
    private final Condition room = lock.newCondition();

    private final Map<Integer, ByteOutput> senders = new HashMap<>();
    private final Map<Integer, ByteInput> receivers = new HashMap<>();

    /** Receivers that ended without the server knowing, by the {@link System#nanoTime} of that, oldest first. */
    private final Map<Integer, Long> dropped = new LinkedHashMap<>();

    private int nextId = 1;
    private int early;
    private long earlyBytes;
    private long attachedBytes;
    private long waitingBytes;
    private boolean paused;
    private boolean dead;

    ByteStreams(Connection connection, Timers timers, Timing timing) {
        this.connection = connection;
        this.timers = timers;
        this.timing = timing;
    }

    ByteOutput open() throws IOException {
        lock.lock();
        try {
            if (dead) {
                throw new IOException(ByteOutput.DISCONNECTED);
            }
            if (senders.size() >= Limits.RECEIVERS) {
                throw new IOException("as many byte streams are open as may be");
            }
            ByteOutput sender = new ByteOutput(this, nextId);
            senders.put(nextId, sender);
            nextId += 2;
            return sender;
        } finally {
            lock.unlock();
        }
    }

    /** Gives what came and will come on this stream of the server. */
    ByteInput attach(int id) throws IOException {
        if (id <= 0 || id % 2 != 0) {
            throw new IllegalArgumentException("no byte stream of the server: " + id);
        }
        lock.lock();
        try {
            if (dead) {
                throw new IOException(ByteOutput.DISCONNECTED);
            }
            if (dropped.containsKey(id)) {
                throw new IOException("byte stream " + id + " was given up, nobody having taken it in time");
            }
            ByteInput receiver = receivers.get(id);
            if (receiver == null) {
                if (receivers.size() - early >= Limits.RECEIVERS) {
                    throw new IOException("as many byte streams are open as may be");
                }
                receiver = new ByteInput(this, id);
                receivers.put(id, receiver);
            } else if (receiver.attached) {
                throw new IllegalStateException("byte stream " + id + " has a reader");
            } else {
                early--;
                earlyBytes -= receiver.buffered;
                attachedBytes += receiver.buffered;
                if (receiver.hasEnded()) {
                    receivers.remove(id);
                }
            }
            receiver.attached = true;
            return receiver;
        } finally {
            lock.unlock();
            resumeIfRoom();
        }
    }

    /** @throws BadPeer if the operation breaks the protocol */
    void accept(ByteStreamOperation operation) {
        int id = operation.getStreamId();
        if (id <= 0) {
            throw new BadPeer("byte stream id out of range");
        }
        if (id % 2 == 0) {
            acceptFromSender(id, operation);
        } else {
            acceptForSender(id, operation);
        }
    }

    /** True if the socket is to be left alone until {@link Connection#resume} is called. */
    boolean pauseIfFull() {
        lock.lock();
        try {
            paused = !dead && (attachedBytes >= Limits.RECEIVED_BYTES / 2 || earlyBytes >= Limits.EARLY_BYTES / 2);
            return paused;
        } finally {
            lock.unlock();
        }
    }

    boolean isPaused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    /** Every stream breaks; what came whole before can still be read. */
    void end() {
        lock.lock();
        try {
            dead = true;
            paused = false;
            senders.values().forEach(sender -> sender.breakOff(ByteOutput.DISCONNECTED));
            receivers.values().forEach(receiver -> breakOff(receiver, ByteOutput.DISCONNECTED));
            senders.clear();
            receivers.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // What senders do.

    /** Waits for room and sends. The chunk is not changed afterwards. */
    void write(ByteOutput sender, ByteString chunk) throws IOException {
        lock.lock();
        try {
            sender.check();
            while (waitingBytes > 0 && waitingBytes + chunk.size() > Limits.CHUNKS_WAITING_BYTES) {
                try {
                    room.await();
                } catch (InterruptedException interrupted) {
                    throw ByteOutput.interrupted();
                }
                sender.check();
            }
            waitingBytes += chunk.size();
        } finally {
            lock.unlock();
        }
        send(
                operation(sender.id())
                        .setWrite(ByteStreamOperation.Write.newBuilder().setChunk(chunk)),
                chunk.size());
    }

    void finish(ByteOutput sender) {
        if (removeSender(sender)) {
            send(operation(sender.id()).setFinish(ByteStreamOperation.Finish.getDefaultInstance()), 0);
        }
    }

    void destroy(ByteOutput sender, @Nullable String reason) {
        if (removeSender(sender)) {
            sendDestroy(sender.id(), reason);
        }
    }

    // What receivers do.

    /** A reader took bytes out of its buffer. */
    void taken(int bytes) {
        lock.lock();
        try {
            attachedBytes -= bytes;
        } finally {
            lock.unlock();
        }
        resumeIfRoom();
    }

    /** A reader wants no more. */
    void destroy(ByteInput receiver, @Nullable String reason) {
        boolean known;
        lock.lock();
        try {
            attachedBytes -= receiver.drop();
            known = receivers.remove(receiver.id(), receiver);
            if (known) {
                remember(receiver.id());
            }
        } finally {
            lock.unlock();
        }
        if (known) {
            sendDestroy(receiver.id(), reason);
        }
        resumeIfRoom();
    }

    private void acceptForSender(int id, ByteStreamOperation operation) {
        lock.lock();
        try {
            if (!operation.hasDestroy() || id >= nextId) {
                throw new BadPeer("byte stream operation of the wrong side");
            }
            ByteOutput sender = senders.remove(id);
            if (sender != null) {
                sender.breakOff(reason(operation.getDestroy()));
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void acceptFromSender(int id, ByteStreamOperation operation) {
        boolean refused = false;
        lock.lock();
        try {
            if (dead || dropped.containsKey(id)) {
                return;
            }
            ByteInput receiver = receivers.get(id);
            if (receiver == null) {
                receiver = early(id);
            } else if (receiver.hasEnded()) {
                throw new BadPeer("byte stream goes on after its end");
            }
            switch (operation.getOperationCase()) {
                case WRITE -> refused = !take(receiver, operation.getWrite().getChunk());
                case FINISH -> receiver.finish();
                case DESTROY -> breakOff(receiver, reason(operation.getDestroy()));
                case OPERATION_NOT_SET -> throw new BadPeer("byte stream operation without an operation");
            }
            if (receiver.attached && receiver.hasEnded()) {
                receivers.remove(id);
            }
        } finally {
            lock.unlock();
        }
        if (refused) {
            sendDestroy(id, "nobody reads this stream");
        }
    }

    /** A stream that nobody reads yet. */
    private ByteInput early(int id) {
        if (early >= Limits.EARLY_RECEIVERS) {
            throw new BadPeer("too many byte streams without a receiver");
        }
        early++;
        ByteInput receiver = new ByteInput(this, id);
        receivers.put(id, receiver);
        var unused = timers.after(timing.early(), () -> giveUp(receiver));
        return receiver;
    }

    private boolean take(ByteInput receiver, ByteString chunk) {
        if (receiver.attached) {
            attachedBytes += chunk.size();
            receiver.add(chunk);
            return true;
        }
        if (earlyBytes + chunk.size() > Limits.EARLY_BYTES) {
            drop(receiver);
            return false;
        }
        earlyBytes += chunk.size();
        receiver.add(chunk);
        return true;
    }

    /** What was not read is forgotten: the reader only hears that the stream broke. */
    private void breakOff(ByteInput receiver, @Nullable String reason) {
        int forgotten = receiver.breakOff(reason);
        if (receiver.attached) {
            attachedBytes -= forgotten;
        } else {
            earlyBytes -= forgotten;
        }
    }

    private void giveUp(ByteInput receiver) {
        boolean unfinished;
        lock.lock();
        try {
            if (receiver.attached || receivers.get(receiver.id()) != receiver) {
                return;
            }
            unfinished = !receiver.hasEnded();
            drop(receiver);
        } finally {
            lock.unlock();
        }
        if (unfinished) {
            sendDestroy(receiver.id(), "nobody reads this stream");
        }
        resumeIfRoom();
    }

    private void drop(ByteInput receiver) {
        early--;
        earlyBytes -= receiver.drop();
        receivers.remove(receiver.id());
        remember(receiver.id());
    }

    private void remember(int id) {
        long now = System.nanoTime();
        dropped.put(id, now);
        Iterator<Long> oldest = dropped.values().iterator();
        while (oldest.hasNext()
                && (dropped.size() > Limits.ENDED || now - oldest.next() > Limits.ENDED_FOR.toNanos())) {
            oldest.remove();
        }
    }

    private void resumeIfRoom() {
        lock.lock();
        try {
            if (!paused || attachedBytes > Limits.RECEIVED_BYTES / 4 || earlyBytes > Limits.EARLY_BYTES / 4) {
                return;
            }
            paused = false;
        } finally {
            lock.unlock();
        }
        connection.resume();
    }

    private boolean removeSender(ByteOutput sender) {
        lock.lock();
        try {
            return senders.remove(sender.id(), sender);
        } finally {
            lock.unlock();
        }
    }

    private void sent(int bytes) {
        lock.lock();
        try {
            waitingBytes -= bytes;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void sendDestroy(int id, @Nullable String reason) {
        ByteStreamOperation.Destroy.Builder destroy = ByteStreamOperation.Destroy.newBuilder();
        if (reason != null) {
            destroy.setError(bounded(reason));
        }
        send(operation(id).setDestroy(destroy), 0);
    }

    private void send(ByteStreamOperation.Builder operation, int bytes) {
        connection.send(operation.build(), () -> {
            if (bytes > 0) {
                sent(bytes);
            }
        });
    }

    private static ByteStreamOperation.Builder operation(int id) {
        return ByteStreamOperation.newBuilder().setStreamId(id);
    }

    private static @Nullable String reason(ByteStreamOperation.Destroy destroy) {
        return destroy.hasError() ? bounded(destroy.getError()) : null;
    }

    private static String bounded(String reason) {
        ByteString bytes = ByteString.copyFromUtf8(reason);
        if (bytes.size() <= Limits.DESTROY_BYTES) {
            return reason;
        }
        int end = Limits.DESTROY_BYTES;
        // Not in the middle of a character.
        while ((bytes.byteAt(end) & 0xC0) == 0x80) {
            end--;
        }
        return bytes.substring(0, end).toStringUtf8();
    }
}
