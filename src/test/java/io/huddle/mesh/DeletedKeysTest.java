package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.security.ClientKeyDeleted;
import io.huddle.security.ClientKeys;
import io.huddle.security.Identity;
import io.huddle.stream.ClientStream;
import io.huddle.stream.CloseCause;
import io.huddle.stream.Streams;
import io.huddle.stream.TestStreams;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletedKeysTest {
    private static final Instant MADE = Instant.parse("2026-11-30T12:00:00Z");

    private final List<String> sent = new ArrayList<>();
    private final TestStreams streams = new TestStreams((ended, cause) -> {});

    private final class Sending extends Membership {
        @Override
        public CompletionStage<Void> broadcast(String type, String json, boolean skipSelf) {
            sent.add(json);
            return CompletableFuture.completedFuture(null);
        }
    }

    private DeletedKeys keys(boolean isShared) {
        MembershipBackend nodes = (MembershipBackend) Proxy.newProxyInstance(
                DeletedKeysTest.class.getClassLoader(),
                new Class<?>[] {MembershipBackend.class},
                (proxy, method, arguments) -> method.getName().equals("isShared") && isShared);
        return Injected.into(Injected.into(new DeletedKeys(), "nodes", nodes), "membership", new Sending());
    }

    @Test
    void deletion_isToldOnlyWhereThereIsSomebodyToHearIt() {
        keys(false).tell(new ClientKeyDeleted("c-badge-7"));
        assertThat(sent).isEmpty();

        keys(true).tell(new ClientKeyDeleted("c-badge-7"));
        assertThat(sent).containsExactly("{\"client\":\"c-badge-7\"}");
    }

    /** A node that did not hear it kept the stream of a client whose key was deleted, for as long as that liked. */
    @Test
    void streams_whoseKeyIsGoneOrAnother_endThoughNobodyToldIt() throws SQLException {
        Map<String, ClientStream> open = new HashMap<>();
        for (String client : List.of("c-kept", "c-gone", "c-again")) {
            open.put(client, streams.open(new Identity.Client(client, Set.of(), Set.of(), MADE), client, false));
        }
        open.put("s-1", streams.open(new Identity.Participant("s-1", 1), "s-1", true));
        List<Set<String>> asked = new ArrayList<>();
        DeletedKeys checked = Injected.into(keys(false), "streams", new Owned(open));
        Injected.into(checked, "keys", new ClientKeys() {
            @Override
            public Map<String, Instant> made(Collection<String> clients) {
                asked.add(Set.copyOf(clients));
                // The one was deleted and made anew while its stream was open.
                return Map.of("c-kept", MADE, "c-again", MADE.plusSeconds(1));
            }
        });

        checked.check();

        assertThat(asked).containsExactly(Set.of("c-kept", "c-gone", "c-again"));
        assertThat(open.values())
                .filteredOn(ClientStream::isDead)
                .extracting(ClientStream::clientId)
                .containsExactlyInAnyOrder("c-gone", "c-again");
    }

    @Test
    void check_withoutStreamsOfKeys_asksNobody() throws SQLException {
        DeletedKeys checked = Injected.into(keys(false), "streams", new Owned(Map.of()));
        Injected.into(checked, "keys", new ClientKeys() {
            @Override
            public Map<String, Instant> made(Collection<String> clients) {
                throw new AssertionError("asked for " + clients);
            }
        });
        checked.check();
    }

    private static final class Owned extends Streams {
        private final Map<String, ClientStream> open;

        Owned(Map<String, ClientStream> open) {
            this.open = open;
        }

        @Override
        public Collection<ClientStream> all() {
            return open.values();
        }

        @Override
        public void forget(String client) {
            Objects.requireNonNull(open.get(client)).close(CloseCause.OPERATOR, "");
        }
    }

    @Test
    void client_thereAndBack_isTheSame() {
        assertThat(DeletedKeys.client(DeletedKeys.json("c-badge-7"))).hasValue("c-badge-7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"client\":7}",
                "{\"client\":null}",
                "{\"client\":\"s-00000000000000000000000000\"}",
                "{\"client\":\"c-x\"",
            })
    void message_thatIsNone_concernsNobody(String json) {
        assertThat(DeletedKeys.client(json)).isEmpty();
    }
}
