package io.huddle.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The comparison itself: two of a kind are alike, a flawed one is found out, and the sequences go everywhere. */
class InMemoryDifferentialTest extends RegistryDifferential {
    InMemoryDifferentialTest() {
        super(new InMemoryRegistries(), 40);
    }

    @Test
    void sequences_together_reachEveryAnswer() {
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = 100; seed < 104; seed++) {
            run(seed, open()).forEach((what, times) -> seen.merge(what, times, Integer::sum));
        }
        for (String write : new String[] {"register", "reserve", "activate", "update", "unregister"}) {
            assertThat(seen)
                    .containsKeys(
                            write + " OTHER_EPOCH",
                            write + " WRITER_DEAD",
                            write + " TOO_LATE",
                            write + " CORRUPT",
                            write + " OK");
        }
        for (Claimed.Status status : Claimed.Status.values()) {
            assertThat(seen).containsKey("claim " + status);
        }
        for (Committed.Status status : Committed.Status.values()) {
            assertThat(seen).containsKey("commit " + status);
        }
        for (NonceUse use : NonceUse.values()) {
            assertThat(seen).containsKey("nonce " + use);
        }
        assertThat(seen)
                .containsKeys(
                        "register CONFLICT",
                        "register NEWER_EXISTS",
                        "reserve CONFLICT",
                        "reserve NEWER_EXISTS",
                        "activate NOT_OWNER",
                        "update NOT_OWNER",
                        "unregister NOT_OWNER",
                        "abort OK",
                        "abort NOT_OWNER",
                        "removePrevious OK",
                        "removePrevious NOT_OWNER",
                        "removeResult OK",
                        "removeResult NOT_OWNER",
                        "refresh OK",
                        "cleanupNode",
                        "cleanup done",
                        "cleanup full",
                        "ack true",
                        "ack false",
                        "nack true",
                        "nack false",
                        "nack later true",
                        "renew true",
                        "renew false",
                        "retry true",
                        "corrupt");
    }

    /** Each of them forgets one of its duties without a word. */
    @ParameterizedTest
    @ValueSource(
            strings = {"abortClaim", "removeClaimPrevious", "unregister", "cleanupNode", "beginEpoch", "renewOrphaned"})
    void answers_ofOneThatForgetsADuty_areFoundOut(String duty) {
        assertThatThrownBy(() -> run(5, forgetting(duty, open())))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 5: the answers differ");
    }

    private static RegistryBackend forgetting(String duty, RegistryBackend backend) {
        return (RegistryBackend) Proxy.newProxyInstance(
                RegistryBackend.class.getClassLoader(),
                new Class<?>[] {RegistryBackend.class},
                (self, method, args) -> {
                    if (method.getName().equals(duty)) {
                        return CompletableFuture.completedFuture(
                                switch (duty) {
                                    case "cleanupNode" -> List.of();
                                    case "renewOrphaned" -> true;
                                    case "beginEpoch" -> null;
                                    default -> Written.of(Written.Status.OK);
                                });
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
