package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.mesh.LocalCalls.Reply;
import io.huddle.mesh.wire.CallAnswer;
import io.huddle.mesh.wire.CallRequest;
import io.huddle.mesh.wire.Target;
import io.huddle.stream.ByteReceiver;
import io.huddle.stream.ByteSource;
import io.huddle.stream.ClientStream;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.ServerMessage;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One call of a client, perhaps with a byte stream. What becomes of that is the caller's to see to if the call fails. */
final class CallAttempt extends Attempt<Reply> {
    /**
     * Who may be called.
     *
     * @param reach null if the rooms' rules have judged
     * @param generation of a participant; zero for any
     */
    record Meant(@Nullable Reach reach, long generation) {}

    /**
     * What a call carries.
     *
     * @param bytes for the client; null for none
     * @param caller whose byte streams these are; empty if the call takes and gives none
     */
    record Carried(ServerMessage message, @Nullable Announced bytes, String caller) {}

    private final LocalCalls local;
    private final Passages passages;
    private final Meant meant;
    private final Carried carried;
    private volatile @Nullable Target asked;
    private volatile @Nullable String handle;

    CallAttempt(
            Around around,
            LocalCalls local,
            Passages passages,
            String client,
            Meant meant,
            Carried carried,
            Duration deadline) {
        super(around, client, deadline);
        this.local = local;
        this.passages = passages;
        this.meant = meant;
        this.carried = carried;
    }

    private boolean takesBytes() {
        return !carried.caller().isEmpty();
    }

    @Override
    CompletionStage<Reply> here(ClientStream stream) {
        Reach reach = meant.reach();
        if (reach != null && !local.isReachable(stream, reach)) {
            throw Clients.notFound();
        }
        if (meant.generation() != 0 && stream.order() != meant.generation()) {
            throw new Refused(Refusal.CLIENT_DISCONNECTED, "another generation is connected");
        }
        return local.exchange(stream, carried.message(), carried.bytes(), takesBytes(), left());
    }

    @Override
    String operation() {
        // A node that knows no byte streams would make the call without; it refuses this one.
        return carried.bytes() == null ? "call" : PeerCalls.CALL_WITH_BYTES;
    }

    @Override
    ByteString request(Target target) {
        Reach reach = meant.reach();
        CallRequest.Builder all = CallRequest.newBuilder()
                .setTarget(target)
                .setGeneration(meant.generation())
                .setEverybody(reach == null || reach.everybody())
                .setMessage(carried.message().toByteString())
                .setTakesBytes(takesBytes());
        if (reach != null) {
            all.addAllTeams(reach.teams());
        }
        Announced bytes = carried.bytes();
        if (bytes != null) {
            all.setBytes(offered(bytes, target));
        }
        asked = target;
        return all.build().toByteString();
    }

    private String offered(Announced bytes, Target target) {
        String before = handle;
        if (before != null) {
            // Whoever was asked first is not the owner, and took nothing.
            passages.withdraw(before);
        }
        String now = passages.offer(bytes, carried.caller(), target.getNode(), target.getProcess());
        handle = now;
        return now;
    }

    @Override
    Reply answer(ByteString bytes) throws InvalidProtocolBufferException {
        CallAnswer answer = CallAnswer.parseFrom(bytes);
        ClientMessage message = LocalCalls.unnamed(ClientMessage.parseFrom(answer.getMessage()));
        Target owner = asked;
        if (answer.getBytes().isEmpty() || owner == null) {
            return new Reply(message, null);
        }
        ByteSource offered = passages.source(answer.getBytes(), carried.caller(), owner.getNode(), owner.getProcess());
        return new Reply(message, Announced.of(receiver -> orBroken(offered, receiver), Passages.PATIENCE));
    }

    /** The call was answered: a byte stream for which there is no place is one that breaks. */
    private static ByteSource.BreakOff orBroken(ByteSource offered, ByteReceiver receiver) {
        try {
            return offered.flowInto(receiver);
        } catch (Refused full) {
            receiver.destroyed(full.refusal().slug());
            return reason -> {};
        }
    }
}
