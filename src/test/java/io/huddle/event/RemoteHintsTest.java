package io.huddle.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.membership.LocalMembership;
import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.store.DatabaseReady;
import io.huddle.store.Dialect;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class RemoteHintsTest {
    private static final DatabaseReady READY = new DatabaseReady(Dialect.POSTGRESQL);

    private final List<String> heard = new ArrayList<>();
    private final List<String> sent = new ArrayList<>();

    private final class Heard extends Membership {
        @Override
        public void onBroadcast(String type, Consumer<Broadcast> handler) {
            heard.add(type);
        }
    }

    private RemoteHints hints(MembershipBackend nodes) {
        HintBatch batch = new HintBatch(
                json -> {
                    sent.add(json);
                    return CompletableFuture.completedFuture(null);
                },
                Runnable::run);
        RemoteHints hints = Injected.into(new RemoteHints(), "nodes", nodes);
        Injected.into(hints, "membership", new Heard());
        return Injected.into(hints, "batch", batch);
    }

    private static Appended appended() {
        return new Appended(new RoomEvent(
                "e-1", "r-1", 7, "room.opened", null, null, null, null, "open", null, Instant.EPOCH, null));
    }

    @Test
    void events_whereThereAreOtherNodes_areToldAndHeard() {
        MembershipBackend shared = (MembershipBackend) Proxy.newProxyInstance(
                RemoteHintsTest.class.getClassLoader(),
                new Class<?>[] {MembershipBackend.class},
                (proxy, method, arguments) -> method.getName().equals("isShared"));
        RemoteHints hints = hints(shared);

        hints.start(READY);
        hints.tell(appended());

        assertThat(heard).containsExactly(RemoteHints.TYPE);
        assertThat(sent).containsExactly("{\"r-1\":7}");
    }

    @Test
    void events_whereThereIsNoOtherNode_areNobodysBusiness() {
        RemoteHints hints = hints(new LocalMembership(() -> 0));

        hints.start(READY);
        hints.tell(appended());

        assertThat(heard).isEmpty();
        assertThat(sent).isEmpty();
    }
}
