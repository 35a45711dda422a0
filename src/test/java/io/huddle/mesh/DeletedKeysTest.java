package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Injected;
import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.security.ClientKeyDeleted;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletedKeysTest {
    private final List<String> sent = new ArrayList<>();

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
