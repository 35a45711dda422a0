package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.StreamClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may open a stream: by the ticket of a join, or signed with a client's key. */
class HandshakesIT extends Contract {
    private static final String KEYS = "/admin/clients/keys";
    private static final int CROWD = 48;
    private static final int MANY = 16;

    /** A client with its secret. */
    private record Key(String client, String secret) {}

    @Test
    void join_answers_howToOpenTheStream() {
        Api ada = participant("ada");
        String room = openRoom(ada);

        Answer joined = ada.join(room).assertStatus(201);

        JsonObject stream = joined.json().getJsonObject("stream");
        assertThat(stream.getString("url"))
                .isEqualTo("ws://localhost:" + site.node().port() + "/stream");
        assertThat(stream.getString("ticket")).matches("[A-Za-z0-9_-]{43}");
        assertThat(Duration.between(time(joined, "serverTime"), Instant.parse(stream.getString("expiresAt"))))
                .hasSeconds(30);
        assertThat(joined.json().getJsonArray("iceServers")).isEmpty();
    }

    @Test
    void ticket_opensOneStreamAndNoSecond() {
        Answer joined = joins();
        try (StreamClient stream = StreamClient.to(site.node(), joined).connect()) {
            refused(StreamClient.to(site.node(), joined), 403);
            assertThat(stream).isNotNull();
        }
    }

    @Test
    void ticket_shownByManyAtOnce_opensOneStream() throws Exception {
        Answer joined = joins();

        List<Integer> statuses =
                atOnce(MANY, () -> StreamClient.to(site.node(), joined).status());

        assertThat(statuses).filteredOn(status -> status == 101).hasSize(1);
        assertThat(statuses).filteredOn(status -> status == 403).hasSize(MANY - 1);
    }

    @Test
    void ticket_isStoredAsItsHashOnly() throws Exception {
        Answer joined = joins();
        String ticket = StreamClient.ticket(joined);
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(ticket.getBytes(StandardCharsets.US_ASCII));

        assertThat(site.store()
                        .column(
                                "SELECT hash FROM client_ticket WHERE session_id = ?",
                                joined.json().getString("session")))
                .containsExactly(HexFormat.of().formatHex(hash));
    }

    @Test
    void ticket_afterItsTime_opensNothing() {
        Answer joined = joins();
        site.advance(Duration.ofSeconds(16));
        site.advance(Duration.ofSeconds(15));

        assertThat(row(joined.json().getString("session")).state()).isEqualTo("present");
        refused(StreamClient.to(site.node(), joined), 403);
    }

    @Test
    void join_retried_givesAFreshTicketAndVoidsTheOneBefore() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Answer first = ada.join(room, "key").assertStatus(201);
        Answer again = ada.join(room, "key").assertStatus(201);

        assertThat(again.json().getInt("generation")).isOne();
        refused(StreamClient.to(site.node(), first), 403);
        opens(StreamClient.to(site.node(), again));
    }

    @Test
    void ticket_ofAnOlderGeneration_opensNothing() {
        Answer joined = joins();
        change(
                "UPDATE room_session SET generation = generation + 1 WHERE id = ?",
                joined.json().getString("session"));

        refused(StreamClient.to(site.node(), joined), 403);
    }

    @Test
    void ticket_ofASessionThatIsNotInAnOpenRoom_opensNothing() {
        Answer left = joins();
        Membership.of(participant("ada"), left).leave().assertStatus(204);
        refused(StreamClient.to(site.node(), left), 403);

        Answer lapsed = joins();
        site.withoutSweep(() -> {
            lapse(lapsed.json().getString("session"));
            refused(StreamClient.to(site.node(), lapsed), 403);
        });

        Answer closed = joins();
        integrator().close(closed.json().getString("room")).assertStatus(200);
        refused(StreamClient.to(site.node(), closed), 403);
    }

    @Test
    void ticket_underAnotherClientId_opensNothing() {
        refused(StreamClient.to(site.node(), joins()).with("cid", "c-badge"), 403);
        refused(StreamClient.to(site.node()).ticket("x".repeat(43)), 403);
    }

    @Test
    void signature_right_opensAStreamInBothProtocols() {
        Key key = key();

        opens(signed(key).protocol(3));
        opens(signed(key).protocol(4).with("role", "worker").with("cap", "a,b"));
    }

    @Test
    void signature_wrongInAnyPart_isRefusedWithoutAWord() {
        Key key = key();
        Instant now = now();

        refused(to().signed(key.client(), key.secret() + "x").at(now), 403);
        refused(to().signed("c-" + unique(), key.secret()).at(now), 403);
        refused(to().signed("badge", key.secret()).at(now), 403);
        refused(signed(key).with("aud", "https://other.example"), 403);
        refused(signed(key).with("signature", "00".repeat(32)), 403);
        refused(signed(key).with("signature", "x"), 403);
        String session = joins().json().getString("session");
        refused(to().signed(session, key.secret()).at(now), 403);
    }

    @ParameterizedTest
    @CsvSource({"-33, 403", "33, 403", "-25, 101", "25, 101"})
    void timestamp_countsFor30SecondsEitherWayByTheDatabasesClock(int off, int status) {
        Key key = key();

        StreamClient.Draft draft = to().signed(key.client(), key.secret()).at(now().plusSeconds(off));

        assertThat(draft.status()).isEqualTo(status);
    }

    @Test
    void nonce_usedAgain_isRefusedAndAnotherClientsIsNot() {
        Key one = key();
        Key other = key();
        String nonce = UUID.randomUUID().toString();

        opens(signed(one).with("nonce", nonce));
        refused(signed(one).with("nonce", nonce), 403);
        opens(signed(other).with("nonce", nonce));
    }

    /** Otherwise anybody who saw an address could keep its owner out. */
    @Test
    void nonce_underAWrongSignature_isNotUsedUp() {
        Key key = key();
        String nonce = UUID.randomUUID().toString();

        refused(to().signed(key.client(), "guess").at(now()).with("nonce", nonce), 403);
        opens(signed(key).with("nonce", nonce));
    }

    @Test
    void nonce_shownByManyAtOnce_opensOneStream() throws Exception {
        Key key = key();
        String nonce = UUID.randomUUID().toString();
        Instant now = now();

        List<Integer> statuses = atOnce(
                MANY,
                () -> to().signed(key.client(), key.secret())
                        .at(now)
                        .with("nonce", nonce)
                        .status());

        assertThat(statuses).filteredOn(status -> status == 101).hasSize(1);
        assertThat(statuses).filteredOn(status -> status == 403).hasSize(MANY - 1);
    }

    /** Each handshake held two connections of the pool for a while, and so many waited for each other until they were refused. */
    @Test
    void handshakes_moreAtOnceThanThePoolHasConnections_allGetIn() throws Exception {
        BlockingQueue<StreamClient.Draft> drafts = new LinkedBlockingQueue<>();
        for (int i = 0; i < CROWD; i++) {
            drafts.add(signed(key()));
        }

        List<Integer> statuses = atOnce(CROWD, () -> drafts.remove().status());

        assertThat(statuses).containsOnly(101);
    }

    @Test
    void rotation_keepsTheSecretBeforeValidUntilTheNext() {
        Key first = key();
        Key second = rotate(first);
        opens(signed(first));
        opens(signed(second));

        Key third = rotate(first);
        refused(signed(first), 403);
        opens(signed(second));
        opens(signed(third));
    }

    @Test
    void key_deleted_endsItsStreamAndOpensNone() {
        Key key = key();
        StreamClient stream = signed(key).connect();

        operatorWithReason().delete(KEYS + "/" + key.client()).assertStatus(204);

        assertThat(stream.awaitClose().code()).isEqualTo(4005);
        refused(signed(key), 403);
    }

    /** A node that was not told that a key was deleted kept the stream of its client, for as long as that liked. */
    @Test
    void key_goneWithoutAWord_endsItsStreamAtTheNextLook() {
        Key gone = key();
        Key kept = key();
        StreamClient stream = signed(gone).connect();
        StreamClient other = signed(kept).connect();

        for (String table : List.of("client_secret", "client_team", "client_key")) {
            site.store().update("DELETE FROM " + table + " WHERE client = ?", gone.client());
        }

        assertThat(stream.awaitClose().code()).isEqualTo(4005);
        assertThat(other.isClosed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"pv, 2", "pv, 5", "pv, ''", "nonce, short", "ts, soon", "id, ''", "supersede, 2"})
    void parameter_malformed_isABadRequest(String name, String value) {
        refused(signed(key()).with(name, value), 400);
    }

    @Test
    void origin_ofAnotherSite_isRefusedWhateverIsProven() {
        String own = "http://localhost:" + site.node().port();
        for (String origin : List.of("https://evil.example", "null", own + ".evil.example", "https://localhost")) {
            refused(StreamClient.to(site.node(), joins()).header("Origin", origin), 403);
        }
        opens(StreamClient.to(site.node(), joins()).header("Origin", own));
    }

    private Answer joins() {
        Api ada = participant("ada");
        return ada.join(openRoom(ada)).assertStatus(201);
    }

    private StreamClient.Draft to() {
        return StreamClient.to(site.node());
    }

    private StreamClient.Draft signed(Key key) {
        // A stream of the same client that has just been closed may still be on its way out.
        return to().signed(key.client(), key.secret()).at(now()).with("supersede", "1");
    }

    private Key key() {
        String client = "c-" + unique();
        JsonObject body = Api.json()
                .add("client", client)
                .add("roles", Json.createArrayBuilder().add("integrator"))
                .add("teams", Json.createArrayBuilder().add(team))
                .build();
        JsonObject made =
                operatorWithReason().post(KEYS, body).assertStatus(201).json();
        return new Key(client, made.getString("secret"));
    }

    private Key rotate(Key key) {
        JsonObject made = operatorWithReason()
                .post(KEYS + "/" + key.client() + "/rotate")
                .assertStatus(200)
                .json();
        return new Key(key.client(), made.getString("secret"));
    }

    /** The time by the node's database, which other tests have moved. */
    private Instant now() {
        return site.clock().now();
    }

    private static void opens(StreamClient.Draft draft) {
        draft.connect().close();
    }

    private static void refused(StreamClient.Draft draft, int status) {
        assertThatExceptionOfType(StreamClient.Refused.class)
                .isThrownBy(draft::open)
                .satisfies(refused -> assertThat(refused.status()).isEqualTo(status));
    }

    /** Runs the same on so many threads, which all begin together. */
    private static List<Integer> atOnce(int times, Callable<Integer> call) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(times);
        try {
            CountDownLatch gate = new CountDownLatch(times);
            List<Future<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                calls.add(threads.submit(() -> {
                    gate.countDown();
                    gate.await();
                    return call.call();
                }));
            }
            List<Integer> answers = new ArrayList<>();
            for (Future<Integer> one : calls) {
                answers.add(one.get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }
}
