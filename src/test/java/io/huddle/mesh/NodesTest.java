package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.huddle.harness.Injected;
import io.huddle.link.LinkFailed;
import io.huddle.link.LinkHandler;
import io.huddle.link.Links;
import io.huddle.link.Peer;
import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.membership.NodeState;
import io.huddle.registry.RegistryUnavailable;
import io.huddle.store.DatabaseReady;
import io.huddle.store.Dialect;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator lists nodes and drains one from another: who is told, how, and what is said if nobody hears it. */
class NodesTest {
    private static final NodeInfo HERE = info(7, "p-here", "ready");
    private static final NodeInfo THERE = info(9, "p-there", "ready");

    private final List<NodeInfo> live = new ArrayList<>(List.of(HERE, THERE));
    private final List<String> broadcasts = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final Map<String, LinkHandler> served = new HashMap<>();
    private @Nullable Consumer<Membership.Broadcast> hears;
    private @Nullable RuntimeException linkFails;
    private boolean isAway;
    private boolean isHeard = true;
    private boolean hasLinks = true;
    private int drains;

    private final Nodes nodes = Injected.into(
            Injected.into(
                    Injected.into(Injected.into(new Nodes(), "membership", new Members()), "links", new Lines()),
                    "ownership",
                    new Ownership() {
                        @Override
                        void drain() {
                            drains++;
                        }
                    }),
            "executor",
            Proxy.newProxyInstance(
                    NodesTest.class.getClassLoader(),
                    new Class<?>[] {ManagedExecutorService.class},
                    (proxy, method, arguments) -> {
                        ((Runnable) arguments[0]).run();
                        return null;
                    }));

    private final class Members extends Membership {
        @Override
        public String process() {
            return "p-here";
        }

        @Override
        public CompletionStage<List<NodeInfo>> nodes() {
            return isAway ? away() : CompletableFuture.completedFuture(List.copyOf(live));
        }

        @Override
        public CompletionStage<Optional<NodeInfo>> node(long number) {
            return CompletableFuture.completedFuture(
                    live.stream().filter(node -> node.number() == number).findFirst());
        }

        @Override
        public CompletionStage<Void> broadcast(String type, String json, boolean skipSelf) {
            if (isAway) {
                return away();
            }
            assertThat(type).isEqualTo(Nodes.DRAIN);
            broadcasts.add(json);
            if (isHeard) {
                live.replaceAll(node -> node.number() == 9 ? info(9, "p-there", "draining") : node);
            } else {
                live.removeIf(node -> node.number() == 9);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onBroadcast(String type, Consumer<Broadcast> handler) {
            assertThat(type).isEqualTo(Nodes.DRAIN);
            hears = handler;
        }
    }

    private final class Lines extends Links {
        @Override
        public boolean isEnabled() {
            return hasLinks;
        }

        @Override
        public CompletionStage<ByteString> call(Peer peer, String operation, ByteString request, Duration deadline) {
            asked.add(peer.number() + " " + operation + " " + request.toStringUtf8());
            return linkFails == null
                    ? CompletableFuture.completedFuture(ByteString.EMPTY)
                    : CompletableFuture.failedFuture(linkFails);
        }

        @Override
        public void serve(String operation, LinkHandler handler) {
            served.put(operation, handler);
        }
    }

    private static <T> CompletionStage<T> away() {
        return CompletableFuture.failedFuture(new RegistryUnavailable("away", new IllegalStateException()));
    }

    private static NodeInfo info(long number, String process, String state) {
        return new NodeInfo(number, process, "host", 1, "ws://" + process, "key", NodeState.of(state), 99);
    }

    @Test
    void node_live_isFoundByItsNumber() {
        assertThat(nodes.list()).containsExactly(HERE, THERE);
        assertThat(nodes.find("9")).isEqualTo(THERE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"8", "0", "-9", "+9", "09", "", "x", "9 ", "9223372036854775808", "99999999999999999999", "٩"})
    void node_unknown_isNotFound(String number) {
        assertRefused(Refusal.NOT_FOUND, () -> nodes.find(number));
    }

    @Test
    void nodes_whileTheMembershipIsAway_areUnavailable() {
        isAway = true;
        assertRefused(Refusal.UNAVAILABLE, nodes::list);
        assertRefused(Refusal.UNAVAILABLE, () -> nodes.find("9"));
    }

    @Test
    void drain_ofThisNode_asksNobody() {
        nodes.drain(HERE);
        assertThat(drains).isEqualTo(1);
        assertThat(asked).isEmpty();
        assertThat(broadcasts).isEmpty();
    }

    @Test
    void drain_ofAnother_goesOverTheLinkAlone() {
        nodes.drain(THERE);
        assertThat(asked).containsExactly("9 node-drain p-there");
        assertThat(broadcasts).isEmpty();
        assertThat(drains).isZero();
    }

    /** A release that does not know the operation, a link that is cut, an answer that is lost: all the same. */
    @ParameterizedTest
    @EnumSource(LinkFailed.Reason.class)
    void drain_overALinkThatFails_isBroadcastToTheProcessThatIsMeant(LinkFailed.Reason reason) {
        linkFails = new LinkFailed(reason, "no");
        nodes.drain(THERE);
        assertThat(broadcasts).containsExactly("{\"process\":\"p-there\"}");
    }

    @Test
    void drain_withoutLinks_isBroadcast() {
        hasLinks = false;
        nodes.drain(THERE);
        assertThat(asked).isEmpty();
        assertThat(broadcasts).hasSize(1);
    }

    @Test
    void drain_thatCannotBeTold_isUnavailable() {
        linkFails = new LinkFailed(LinkFailed.Reason.NOT_SENT, "no");
        isAway = true;
        assertRefused(Refusal.UNAVAILABLE, () -> nodes.drain(THERE));
    }

    @Test
    void drain_ofANodeThatEndsMeanwhile_isNotFound() {
        hasLinks = false;
        isHeard = false;
        assertRefused(Refusal.NOT_FOUND, () -> nodes.drain(THERE));
    }

    @ParameterizedTest
    @CsvSource({"starting, false", "ready, false", "failed, false", "draining, true", "stopped, true"})
    void node_inAState_isDrainingOrNot(String state, boolean draining) {
        assertThat(Nodes.isDraining(info(9, "p", state))).isEqualTo(draining);
    }

    @Test
    void request_forThisProcess_drainsIt_forAnother_isRefused() {
        nodes.start(new DatabaseReady(Dialect.H2));
        LinkHandler handler = Objects.requireNonNull(served.get(Nodes.DRAIN));

        assertThat(handler.handle(call("p-there")).toCompletableFuture()).isCompletedExceptionally();
        assertThat(drains).isZero();
        assertThat(handler.handle(call("p-here")).toCompletableFuture()).isCompletedWithValue(ByteString.EMPTY);
        assertThat(drains).isEqualTo(1);
    }

    private static LinkHandler.Call call(String process) {
        return new LinkHandler.Call(9, "p-there", ByteString.copyFromUtf8(process), Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"process\":\"p-here\"}|1",
                "{\"process\":\"p-here\",\"later\":1}|1",
                "{\"process\":\"p-there\"}|0",
                "{\"process\":7}|0",
                "{}|0",
                "[]|0",
                "null|0",
                "{|0"
            })
    void broadcast_forThisProcess_drainsIt_anyOther_doesNothing(String json, int expected) {
        nodes.start(new DatabaseReady(Dialect.H2));
        Objects.requireNonNull(hears).accept(new Membership.Broadcast(Nodes.DRAIN, json, 9));
        assertThat(drains).isEqualTo(expected);
    }

    private static void assertRefused(Refusal refusal, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.refusal()).isEqualTo(refusal));
    }
}
