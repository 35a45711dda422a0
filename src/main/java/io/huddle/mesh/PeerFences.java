package io.huddle.mesh;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.LinkFailed;
import io.huddle.link.Links;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.mesh.wire.FenceAnswer;
import io.huddle.mesh.wire.FenceRequest;
import io.huddle.mesh.wire.Standing;
import io.huddle.mesh.wire.Target;
import io.huddle.registry.ClientRecord;
import io.huddle.registry.Registration;
import io.huddle.stream.Streams;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Asks nodes to end one exact connection, or whether it lives; this node's own are looked at here. Safe for use by any thread
 * that may block.
 */
@ApplicationScoped
public class PeerFences {
    private static final Logger LOG = Logger.getLogger(PeerFences.class.getName());
    private static final Duration FENCE = Duration.ofSeconds(3);

    @Inject
    private Links links;

    @Inject
    private Streams streams;

    @Inject
    private Membership membership;

    @Inject
    private PeerCalls peers;

    /** Ends the connection; blocks until the deadline at most. */
    Takeover.Standing fence(ClientRecord record, Duration deadline) {
        return ask("fence", record, deadline);
    }

    /** Asks whether the connection lives; blocks until the deadline at most. */
    Takeover.Standing probe(ClientRecord record, Duration deadline) {
        return ask("probe", record, deadline);
    }

    private Takeover.Standing ask(String operation, ClientRecord record, Duration deadline) {
        Duration most = deadline.compareTo(FENCE) < 0 ? deadline : FENCE;
        Target target = target(record);
        try {
            if (peers.isMine(target)) {
                // On this thread, which may wait: others of its pool wait, too, and none would be left to do it.
                return operation.equals("probe")
                        ? standing(peers.standing(target))
                        : standing(Answers.within(most, peers.fenceHere(target, most)));
            }
            Optional<NodeInfo> node = Answers.within(most, membership.node(record.node()));
            if (node.isEmpty() || !node.get().process().equals(record.process())) {
                return Takeover.Standing.UNREACHABLE;
            }
            ByteString request =
                    FenceRequest.newBuilder().setTarget(target).build().toByteString();
            ByteString answer = Answers.within(most, links.call(PeerCalls.peer(node.get()), operation, request, most));
            return standing(FenceAnswer.parseFrom(answer).getStanding());
        } catch (LinkFailed failed) {
            return switch (failed.reason()) {
                case NOT_SENT, NOT_SENT_IN_TIME, BACKPRESSURE -> Takeover.Standing.UNREACHABLE;
                case INDETERMINATE, REMOTE -> Takeover.Standing.UNKNOWN;
            };
        } catch (InvalidProtocolBufferException | RuntimeException unknown) {
            LOG.log(Level.FINE, "a connection on another node could not be looked at", unknown);
            return Takeover.Standing.UNKNOWN;
        }
    }

    /**
     * Asks every live node whether it has a connection of this client id, in a handshake or public, the asking one aside.
     * Blocks until the deadline at most.
     *
     * @return true if every one of them has answered that it has none
     */
    boolean isNowhere(Registration asking, Duration deadline) {
        Duration most = deadline.compareTo(FENCE) < 0 ? deadline : FENCE;
        try {
            List<CompletionStage<ByteString>> asked = new ArrayList<>();
            for (NodeInfo node : Answers.within(most, membership.nodes())) {
                if (node.process().equals(membership.process())) {
                    if (streams.isHere(asking.clientId(), asking.connectionId())) {
                        return false;
                    }
                    continue;
                }
                Target anyConnection = Target.newBuilder()
                        .setClient(asking.clientId())
                        .setNode(node.number())
                        .setProcess(node.process())
                        .build();
                ByteString request = FenceRequest.newBuilder()
                        .setTarget(anyConnection)
                        .build()
                        .toByteString();
                asked.add(links.call(PeerCalls.peer(node), "probe", request, most));
            }
            for (CompletionStage<ByteString> answer : asked) {
                if (FenceAnswer.parseFrom(Answers.within(most, answer)).getStanding() != Standing.GONE) {
                    return false;
                }
            }
            return true;
        } catch (InvalidProtocolBufferException | RuntimeException unknown) {
            LOG.log(Level.FINE, "not every node has said whether it has the client", unknown);
            return false;
        }
    }

    private static Takeover.Standing standing(Standing answered) {
        return switch (answered) {
            case FENCED -> Takeover.Standing.FENCED;
            case GONE -> Takeover.Standing.GONE;
            case LIVE -> Takeover.Standing.LIVE;
            case STANDING_UNSPECIFIED, UNRECOGNIZED -> Takeover.Standing.UNREACHABLE;
        };
    }

    static Target target(ClientRecord record) {
        return Target.newBuilder()
                .setClient(record.clientId())
                .setConnection(record.connectionId())
                .setNode(record.node())
                .setProcess(record.process())
                .build();
    }
}
