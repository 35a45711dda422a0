package io.huddle.registry;

import static io.huddle.registry.RegistryScene.LIMITS;
import static io.huddle.registry.RegistryScene.N1;
import static io.huddle.registry.RegistryScene.N2;
import static io.huddle.registry.RegistryScene.done;
import static io.huddle.registry.RegistryScene.unordered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.huddle.web.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listings: whole, page by page, of a node, with and without what is pending. */
interface ListingRules extends RegistryRules {
    /** Those in the order of a listing: by shard, then by the bytes of the ids. */
    private static List<String> inOrder(Stream<String> clientIds) {
        Shards shards = new Shards(LIMITS.shards());
        return clientIds
                .sorted(Comparator.<String>comparingInt(shards::of).thenComparing(Utf8.ORDER))
                .toList();
    }

    /** Every page from the first on. */
    private static List<String> walked(Function<String, ClientPage> page) {
        List<String> seen = new ArrayList<>();
        String cursor = "";
        for (int i = 0; cursor != null && i < 1_000; i++) {
            ClientPage one = page.apply(cursor);
            one.clients().forEach(client -> seen.add(client.clientId()));
            cursor = one.next();
        }
        assertThat(cursor).as("where it ended").isNull();
        return seen;
    }

    private static void registerMany(RegistryScene on, int count) {
        for (int i = 0; i < count; i++) {
            on.register(i % 3 == 0 ? N2 : N1, unordered("client-" + i, "c" + i));
        }
        on.reserve(N1, unordered("pending-1", "p1"));
    }

    @Test
    default void listing_ofNothing_isEmptyAndEnds() {
        RegistryScene on = begin();
        assertThat(done(on.backend.listClients())).isEmpty();
        assertThat(done(on.backend.listClientsPage("", 5))).isEqualTo(new ClientPage(List.of(), null));
        assertThat(done(on.backend.listClientsForNode(N1.node()))).isEmpty();
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 5))).isEqualTo(new ClientPage(List.of(), null));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 100})
    default void listing_pageByPage_givesEachOnceInOrder(int limit) {
        RegistryScene on = begin();
        registerMany(on, 40);
        List<String> all = inOrder(IntStream.range(0, 40).mapToObj(i -> "client-" + i));
        List<String> ofN2 =
                inOrder(IntStream.range(0, 40).filter(i -> i % 3 == 0).mapToObj(i -> "client-" + i));
        List<String> ofN1 = inOrder(Stream.concat(
                Stream.of("pending-1"),
                IntStream.range(0, 40).filter(i -> i % 3 != 0).mapToObj(i -> "client-" + i)));
        assertThat(walked(cursor -> done(on.backend.listClientsPage(cursor, limit))))
                .isEqualTo(all);
        assertThat(walked(cursor -> done(on.backend.listClientsForNodePage(N2.node(), cursor, limit))))
                .isEqualTo(ofN2);
        assertThat(walked(cursor -> done(on.backend.listRecordsOfNode(N1.node(), cursor, limit))))
                .isEqualTo(ofN1);
        assertThat(done(on.backend.listClientsPage("", limit)).clients()).hasSizeLessThanOrEqualTo(limit);
    }

    /** A listing of 2,500 clients failed after 16 s, since their owners were asked for each: here it is read, a page at a time. */
    @Test
    default void listing_of2500ClientsOfThreeNodes_comesAPageAtATime() {
        RegistryScene on = begin();
        List<RegistryScene.Writer> nodes = List.of(N1, N2, RegistryScene.N3);
        long until = on.now() + 60_000;
        List<CompletableFuture<Written>> written = IntStream.range(0, 2_500)
                .mapToObj(i -> on.backend
                        .register(on.warrant(nodes.get(i % 3), until), unordered("client-" + i, "c" + i))
                        .toCompletableFuture())
                .toList();
        assertThat(written.stream().map(one -> done(one).status())).allMatch(Written.Status.OK::equals);

        List<String> seen = walked(cursor -> {
            ClientPage page = done(on.backend.listClientsPage(cursor, 200));
            assertThat(page.clients()).hasSizeLessThanOrEqualTo(200);
            return page;
        });

        assertThat(seen).hasSize(2_500).doesNotHaveDuplicates();
    }

    /** More than any answer holds at once. */
    @Test
    default void listing_ofLargeRecords_givesEachOnceInOrder() {
        RegistryScene on = begin();
        String large = "x".repeat(60 << 10);
        for (int i = 0; i < 48; i++) {
            on.register(N1, unordered("client-" + i, "c" + i));
            on.update(N1, "client-" + i, "c" + i, large);
        }
        List<String> all = inOrder(IntStream.range(0, 48).mapToObj(i -> "client-" + i));
        assertThat(done(on.backend.listClients()))
                .extracting(ClientRecord::clientId)
                .isEqualTo(all);
        for (int limit : new int[] {3, 100}) {
            assertThat(walked(cursor -> done(on.backend.listClientsPage(cursor, limit))))
                    .isEqualTo(all);
            assertThat(walked(cursor -> done(on.backend.listRecordsOfNode(N1.node(), cursor, limit))))
                    .isEqualTo(all);
        }
        assertThat(done(on.backend.cleanupNode(N1.node())))
                .extracting(ClientRecord::clientId)
                .isEqualTo(all);
        assertThat(done(on.backend.listClients())).isEmpty();
    }

    @Test
    default void listing_whole_givesTheActive() {
        RegistryScene on = begin();
        registerMany(on, 40);
        assertThat(done(on.backend.listClients())).hasSize(40).allMatch(ClientRecord::isActive);
        assertThat(done(on.backend.listClientsForNode(N2.node()))).hasSize(14).allMatch(one -> one.node() == N2.node());
        assertThat(done(on.backend.listClientsForNode(N1.node()))).hasSize(26).allMatch(ClientRecord::isActive);
    }

    @Test
    default void listing_whileOthersComeAndGo_givesWhoStaysOnce() {
        RegistryScene on = begin();
        registerMany(on, 30);
        for (int i = 0; i < 10; i++) {
            on.register(N1, unordered("guest-" + i, "g" + i));
        }
        int[] turn = {0};
        List<String> seen = walked(cursor -> {
            ClientPage page = done(on.backend.listClientsPage(cursor, 3));
            int i = turn[0]++;
            on.unregister(N1, "guest-" + i, "g" + i);
            on.register(N1, unordered("late-" + i, "l" + i));
            return page;
        });
        assertThat(seen).doesNotHaveDuplicates();
        assertThat(seen).filteredOn(one -> one.startsWith("client-")).hasSize(30);
    }

    /** The last one of a page leaves before the next is asked for. */
    @Test
    default void listing_afterItsLastClientLeft_goesOn() {
        RegistryScene on = begin();
        registerMany(on, 9);
        ClientPage first = done(on.backend.listClientsForNodePage(N1.node(), "", 2));
        ClientRecord last = first.clients().get(first.clients().size() - 1);
        on.unregister(N1, last.clientId(), last.connectionId());
        List<String> rest = walked(cursor -> done(on.backend.listClientsForNodePage(
                N1.node(), cursor.isEmpty() ? String.valueOf(first.next()) : cursor, 2)));
        assertThat(rest)
                .hasSize(6 - first.clients().size())
                .doesNotHaveDuplicates()
                .doesNotContain(last.clientId());
    }

    @Test
    default void listing_idsThatJavaSortsOtherwise_areInTheOrderOfTheirBytes() {
        RegistryScene on =
                begin(new RegistryLimits(1, 30_000, 64, 1 << 20, 128 << 10, 256, 30_000, 10, 64, 90_000, 30_000));
        List<String> ordered = List.of("A", "a", "a\0", "a ", "é", "\uff5e", "\ud83d\ude00");
        List.of("\ud83d\ude00", "a", "\uff5e", "a ", "é", "A", "a\0")
                .forEach(id -> on.register(N1, unordered(id, "c")));
        assertThat(walked(cursor -> done(on.backend.listClientsPage(cursor, 1))))
                .isEqualTo(ordered);
        assertThat(walked(cursor -> done(on.backend.listRecordsOfNode(N1.node(), cursor, 2))))
                .isEqualTo(ordered);
    }

    /** How many records are read at once is guessed by those before, and small ones are no sign of what follows. */
    @Test
    default void listing_ofLargeRecordsBehindSmallOnes_isWhole() {
        RegistryScene on =
                begin(new RegistryLimits(1, 30_000, 64, 1 << 20, 128 << 10, 256, 30_000, 10, 64, 90_000, 30_000));
        List<String> ids =
                IntStream.range(0, 60).mapToObj("client-%02d"::formatted).toList();
        for (String id : ids) {
            on.register(N1, unordered(id, "c"));
        }
        String large = "{\"a\":\"" + "x".repeat(60_000) + "\"}";
        for (String id : ids.subList(20, 40)) {
            on.update(N1, id, "c", large);
        }
        assertThat(walked(cursor -> done(on.backend.listClientsPage(cursor, 50))))
                .isEqualTo(ids);
        assertThat(done(on.backend.listRecordsOfNode(N1.node(), "", 100)).clients())
                .extracting(ClientRecord::clientId)
                .isEqualTo(ids);
        assertThat(done(on.backend.listClients()))
                .filteredOn(record -> record.metadata().equals(large))
                .hasSize(20);
    }

    @Test
    default void listing_withoutRoom_isRefusedAtOnce() {
        RegistryScene on = begin();
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listClientsPage("", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listClientsForNodePage(1, "", -1));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listRecordsOfNode(1, "", 0));
    }

    @Test
    default void cursor_notOfThisListing_isRefusedAtOnce() {
        RegistryScene on = begin();
        registerMany(on, 40);
        String ofAll = String.valueOf(done(on.backend.listClientsPage("", 7)).next());
        String ofN1 = String.valueOf(
                done(on.backend.listClientsForNodePage(N1.node(), "", 7)).next());
        assertThat(done(on.backend.listClientsPage(ofAll, 5)).clients()).hasSize(5);
        for (String bad : List.of(
                "nonsense",
                "0",
                "-1",
                " ",
                "é",
                ofN1,
                ofAll + "A",
                ofAll.substring(1),
                ofAll + "=",
                made("c.9.x"),
                made("c.-1."),
                made("c.0"),
                made("c.1." + idOutside(1)),
                made("c.x.y"))) {
            assertThatIllegalArgumentException().as(bad).isThrownBy(() -> on.backend.listClientsPage(bad, 5));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listClientsForNodePage(N2.node(), ofN1, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> on.backend.listRecordsOfNode(N1.node(), ofN1, 5));
    }

    private static String made(String plain) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    private static String idOutside(int shard) {
        Shards shards = new Shards(LIMITS.shards());
        return IntStream.range(0, 100)
                .mapToObj(i -> "client-" + i)
                .filter(id -> shards.of(id) != shard)
                .findFirst()
                .orElseThrow();
    }
}
