package io.huddle.registry;

import static io.huddle.registry.RegistryScene.EPOCH;
import static io.huddle.registry.RegistryScene.LIMITS;
import static io.huddle.registry.RegistryScene.META;
import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.SHORT_CLAIMS;
import static io.huddle.registry.RegistryScene.SHORT_MS;
import static io.huddle.registry.RegistryScene.asking;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.inEpoch;
import static io.huddle.registry.RegistryScene.ordered;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.huddle.registry.ClientRecord.State;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** The rules that hold for every write: epoch, dead numbers, lateness, and what no registry takes. */
interface WriteRules extends RegistryRules {
    /** Every write of one client, by its name; each would have an effect on alice, who is N1's. Answers the status' name. */
    static Map<String, BiFunction<RegistryBackend, Warrant, String>> writes(String claim) {
        Map<String, BiFunction<RegistryBackend, Warrant, String>> writes = new LinkedHashMap<>();
        Registration own = ordered("alice", "c1", 5);
        writes.put("register", (on, by) -> name(done(on.register(by, own))));
        writes.put("reserve", (on, by) -> name(done(on.reserve(by, own))));
        writes.put("activate", (on, by) -> name(done(on.activate(by, "alice", "c1", "{}"))));
        writes.put("updateMetadata", (on, by) -> name(done(on.updateMetadata(by, "alice", "c1", "{}"))));
        writes.put(
                "claim",
                (on, by) -> done(on.claim(by, asking(ordered("alice", "c2", 9))))
                        .status()
                        .name());
        writes.put(
                "commitClaim",
                (on, by) -> done(on.commitClaim(by, "alice", claim)).status().name());
        writes.put("removeClaimPrevious", (on, by) -> name(done(on.removeClaimPrevious(by, "alice", claim))));
        writes.put("abortClaim", (on, by) -> name(done(on.abortClaim(by, "alice", claim))));
        writes.put("removeClaimResult", (on, by) -> name(done(on.removeClaimResult(by, "alice", claim))));
        writes.put("unregister", (on, by) -> name(done(on.unregister(by, "alice", "c1", false))));
        return writes;
    }

    private static String name(Written written) {
        return written.status().name();
    }

    @Test
    default void writes_ofAnotherEpoch_areRefusedAndChangeNothing() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 1));
        String claim = on.claimed(N1, asking(ordered("alice", "c2", 7)));
        Sight before = on.sight("alice");
        writes(claim).forEach((name, write) -> {
            assertThat(write.apply(on.backend, inEpoch(on.warrant(N1), "epoch-2")))
                    .as(name)
                    .isEqualTo("OTHER_EPOCH");
            assertThat(on.sight("alice")).as(name).isEqualTo(before);
        });
        assertThat(done(on.backend.refreshNode(inEpoch(on.warrant(N1), "epoch-2")))
                        .status())
                .isEqualTo(Written.Status.OTHER_EPOCH);
    }

    @Test
    default void writes_beforeTheFirstEpoch_areRefused() {
        RegistryBackend fresh = beginWithoutEpoch(LIMITS);
        Warrant warrant =
                new Warrant(N1.node(), N1.process(), EPOCH, "operation-of-the-first", done(fresh.time()) + 60_000);
        writes("operation-000000-0")
                .forEach((name, write) ->
                        assertThat(write.apply(fresh, warrant)).as(name).isEqualTo("OTHER_EPOCH"));
        done(fresh.beginEpoch(EPOCH));
        assertThat(done(fresh.register(warrant, unordered("alice", "c1"))).isOk())
                .isTrue();
    }

    /** They could come when it is forgotten that their writer is dead. */
    @Test
    default void writes_moreThanADayBeforeTheirTime_areRefusedAndChangeNothing() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 1));
        String claim = on.claimed(N1, asking(ordered("alice", "c2", 7)));
        Sight before = on.sight("alice");
        writes(claim).forEach((name, write) -> {
            assertThat(write.apply(on.backend, on.warrant(N1, on.now() + Warrant.LONGEST_MS + 60_000)))
                    .as(name)
                    .isEqualTo("TOO_LATE");
            assertThat(on.sight("alice")).as(name).isEqualTo(before);
        });
        Warrant longest = on.warrant(N1, on.now() + Warrant.LONGEST_MS - 60_000);
        assertThat(done(on.backend.updateMetadata(longest, "alice", "c1", "{}")).isOk())
                .isTrue();
    }

    @Test
    default void writes_afterTheirTime_areRefusedAndChangeNothing() {
        RegistryScene on = begin();
        on.register(N1, ordered("alice", "c1", 1));
        String claim = on.claimed(N1, asking(ordered("alice", "c2", 7)));
        Sight before = on.sight("alice");
        writes(claim).forEach((name, write) -> {
            assertThat(write.apply(on.backend, on.warrant(N1, on.now() - 1)))
                    .as(name)
                    .isEqualTo("TOO_LATE");
            assertThat(on.sight("alice")).as(name).isEqualTo(before);
        });
        assertThat(done(on.backend.refreshNode(on.warrant(N1, on.now() - 1))).status())
                .isEqualTo(Written.Status.TOO_LATE);
    }

    @Test
    default void write_underWayUntilItsTimeWasOver_isRefused() {
        RegistryScene on = begin(SHORT_CLAIMS);
        Warrant warrant = on.warrant(N1, on.now() + SHORT_MS);
        on.passes(SHORT_MS + 1);
        assertThat(done(on.backend.register(warrant, unordered("alice", "c1"))).status())
                .isEqualTo(Written.Status.TOO_LATE);
    }

    @Test
    default void writes_ofADeadNumber_areRefusedInEveryShard() {
        RegistryScene on = begin();
        done(on.backend.cleanupNode(N1.node()));
        on.register(N2, ordered("alice", "c1", 1));
        Sight before = on.sight("alice");
        writes("operation-000000-0").forEach((name, write) -> {
            assertThat(write.apply(on.backend, on.warrant(N1))).as(name).isEqualTo("WRITER_DEAD");
            assertThat(on.sight("alice")).as(name).isEqualTo(before);
        });
        assertThat(done(on.backend.refreshNode(on.warrant(N1))).status()).isEqualTo(Written.Status.WRITER_DEAD);
        for (int i = 0; i < 40; i++) {
            assertThat(on.register(N1, unordered("client-" + i, "c" + i)).status())
                    .isEqualTo(Written.Status.WRITER_DEAD);
        }
        assertThat(done(on.backend.refreshNode(on.warrant(N2))).status()).isEqualTo(Written.Status.OK);
    }

    @Test
    default void refusals_several_areJudgedInTheirOrder() {
        RegistryScene on = begin();
        done(on.backend.cleanupNode(N1.node()));
        Warrant deadAndLate = on.warrant(N1, on.now() - 1);
        assertThat(done(on.backend.register(deadAndLate, unordered("alice", "c1")))
                        .status())
                .isEqualTo(Written.Status.WRITER_DEAD);
        assertThat(done(on.backend.register(inEpoch(deadAndLate, "epoch-2"), unordered("alice", "c1")))
                        .status())
                .isEqualTo(Written.Status.OTHER_EPOCH);
    }

    @Test
    default void epoch_begunAnew_keepsRecordsAndRefusesTheOldOnes() {
        RegistryScene on = begin();
        Written registered = on.register(N1, unordered("alice", "c1"));
        done(on.backend.beginEpoch("epoch-2"));
        assertThat(on.sight("alice").record()).isEqualTo(registered.record());
        assertThat(on.update(N1, "alice", "c1", "{}").status()).isEqualTo(Written.Status.OTHER_EPOCH);
        Warrant joined = inEpoch(on.warrant(N1), "epoch-2");
        assertThat(done(on.backend.updateMetadata(joined, "alice", "c1", "{}")).status())
                .isEqualTo(Written.Status.OK);
    }

    @Test
    default void epoch_left_neverComesBack() {
        RegistryScene on = begin();
        done(on.backend.beginEpoch("epoch-2"));
        done(on.backend.beginEpoch(EPOCH));
        assertThat(on.register(N1, unordered("alice", "c1")).status()).isEqualTo(Written.Status.OTHER_EPOCH);
        Warrant joined = inEpoch(on.warrant(N1), "epoch-2");
        assertThat(done(on.backend.register(joined, unordered("alice", "c1"))).status())
                .isEqualTo(Written.Status.OK);
    }

    @Test
    default void clientId_outsideOfItsBounds_isRefusedAtOnce() {
        RegistryScene on = begin();
        Warrant warrant = on.warrant(N1);
        for (String bad : new String[] {"", "x".repeat(1_025), "é".repeat(513), "\ud83d"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> on.backend.register(warrant, unordered(bad, "c1")));
            assertThatIllegalArgumentException().isThrownBy(() -> on.backend.reserve(warrant, unordered(bad, "c1")));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> on.backend.claim(warrant, asking(unordered(bad, "c1"))));
            assertThatIllegalArgumentException().isThrownBy(() -> on.backend.getClient(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> on.backend.getClientIncludingPending(bad));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> on.backend.consumeNonce(EPOCH, bad, "nonce-of-16-chars", on.now()));
        }
    }

    @Test
    default void clientId_atItsBounds_isServed() {
        RegistryScene on = begin();
        for (String good : new String[] {"x", "x".repeat(1_024), "é".repeat(512), "\ud83d\ude00", "a\0b.c{d}\n"}) {
            assertThat(on.register(N1, unordered(good, "c1")).status()).isEqualTo(Written.Status.OK);
            assertThat(on.record(good).clientId()).isEqualTo(good);
        }
    }

    @Test
    default void metadata_outsideOfItsBounds_isRefusedAtOnce() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        String bad = "{\"a\":\"" + "é".repeat((64 << 10) / 2 - 3) + "\"}";
        Registration registration = new Registration("alice", "c1", 0, null, 0, List.of(), 0, bad);
        Warrant warrant = on.warrant(N1);
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.register(warrant, registration));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.reserve(warrant, registration));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.claim(warrant, asking(registration)));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.activate(warrant, "alice", "c1", bad));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.updateMetadata(warrant, "alice", "c1", bad));
        assertThat(on.record("alice").metadata()).isEqualTo(META);
    }

    @Test
    default void metadata_atItsBound_isServed() {
        RegistryScene on = begin();
        on.register(N1, unordered("alice", "c1"));
        String largest = "{\"a\":\"" + "é".repeat((64 << 10) / 2 - 4) + "\"}";
        assertThat(on.update(N1, "alice", "c1", largest).status()).isEqualTo(Written.Status.OK);
        assertThat(on.record("alice").metadata()).isEqualTo(largest);
        assertThat(on.record("alice").state()).isEqualTo(State.ACTIVE);
    }
}
