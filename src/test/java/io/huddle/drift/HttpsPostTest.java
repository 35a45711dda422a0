package io.huddle.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.harness.TlsReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a TLS server of the test's own, whose certificate is for {@code hooks.example} and for nobody else. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class HttpsPostTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] BODY = "{\"type\":\"alerts.opened\"}".getBytes(StandardCharsets.UTF_8);
    private static final String PUBLIC = "93.184.216.34";

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static TlsReceiver receiver;

    private final List<InetSocketAddress> dialled = new ArrayList<>();
    private final Deque<List<String>> names = new ArrayDeque<>();
    private int questions;

    @BeforeAll
    static void listen() throws Exception {
        receiver = TlsReceiver.start(folder, "hooks.example");
    }

    @AfterAll
    static void end() throws IOException {
        receiver.close();
    }

    @BeforeEach
    void answer() {
        receiver.answerWith("HTTP/1.1 204 No Content\r\n\r\n");
    }

    /** The name server gives these answers, one after the other; the connection goes to the receiver, whatever is dialled. */
    private HttpsPost post(boolean allowPrivate, Duration timeout) {
        return new HttpsPost(receiver.trust(), this::resolve, this::dial, allowPrivate, timeout);
    }

    private List<InetAddress> resolve(String host) throws IOException {
        questions++;
        List<InetAddress> found = new ArrayList<>();
        for (String address : names.size() > 1 ? names.removeFirst() : names.getFirst()) {
            found.add(InetAddress.getByAddress(
                    host, InetAddress.getByName(address).getAddress()));
        }
        return found;
    }

    private Socket dial(InetSocketAddress address, Duration timeout) throws IOException {
        dialled.add(address);
        return HttpsPost.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), receiver.port()), timeout);
    }

    private int send(String url) throws IOException {
        return post(false, PATIENCE).send(URI.create(url), Map.of("webhook-id", "msg_1"), BODY);
    }

    @Test
    void message_reachesTheReceiver_asItIs_underItsName() throws Exception {
        names.add(List.of(PUBLIC));

        assertThat(send("https://hooks.example/in?token=t")).isEqualTo(204);

        TlsReceiver.Request request = receiver.next();
        assertThat(request.head())
                .startsWith("POST /in?token=t HTTP/1.1\r\nHost: hooks.example\r\n")
                .contains("\r\nwebhook-id: msg_1\r\n")
                .contains("\r\nContent-Type: application/json\r\n");
        assertThat(request.body()).isEqualTo(new String(BODY, StandardCharsets.UTF_8));
        assertThat(request.serverNames()).containsExactly("hooks.example");
        assertThat(dialled).containsExactly(new InetSocketAddress(InetAddress.getByName(PUBLIC), 443));
    }

    /** A name that is public when it is checked and private when it is dialled led inside; so it is asked for once. */
    @Test
    void name_thatIsReboundAfterTheCheck_leadsNowhereElse() throws Exception {
        names.add(List.of(PUBLIC));
        names.add(List.of("127.0.0.1"));

        assertThat(send("https://hooks.example/")).isEqualTo(204);

        assertThat(questions).isOne();
        assertThat(dialled).extracting(InetSocketAddress::getAddress).containsExactly(InetAddress.getByName(PUBLIC));
        assertThatThrownBy(() -> send("https://hooks.example/")).hasMessageContaining("not public");
        assertThat(dialled).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "169.254.169.254", "fd00::1"})
    void oneAddressThatIsNotPublic_refusesTheName_beforeAnythingIsDialled(String address) {
        names.add(List.of(PUBLIC, address));

        assertThatThrownBy(() -> send("https://hooks.example/"))
                .isInstanceOf(IOException.class)
                .hasMessageNotContaining("hooks.example");

        assertThat(dialled).isEmpty();
    }

    @Test
    void addressThatIsNotPublic_isDialledBySetting() throws Exception {
        names.add(List.of("127.0.0.1"));
        assertThat(post(true, PATIENCE).send(URI.create("https://hooks.example:9443/"), Map.of(), BODY))
                .isEqualTo(204);
        assertThat(dialled).extracting(InetSocketAddress::getPort).containsExactly(9443);
        assertThat(receiver.next().head()).contains("Host: hooks.example:9443\r\n");
    }

    @Test
    void redirect_isAnAnswerAndNotFollowed() throws Exception {
        names.add(List.of(PUBLIC));
        receiver.answerWith("HTTP/1.1 307 Temporary Redirect\r\nLocation: https://hooks.example/elsewhere\r\n\r\n");

        assertThat(send("https://hooks.example/")).isEqualTo(307);

        receiver.next();
        assertThat(receiver.isEmpty()).isTrue();
        assertThat(dialled).hasSize(1);
    }

    @Test
    void certificate_ofAnotherName_endsTheConnection_beforeAnythingIsSaid() {
        names.add(List.of(PUBLIC));
        assertThatThrownBy(() -> send("https://other.example/")).isInstanceOf(SSLException.class);
        assertThat(receiver.isEmpty()).isTrue();
    }

    /** The address itself, mapped or not, is no way around the check of names. */
    @ParameterizedTest
    @ValueSource(
            strings = {"https://127.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"
            })
    void address_asANumber_isCheckedToo(String url) {
        String host = URI.create(url).getHost();
        names.add(List.of(host.startsWith("[") ? host.substring(1, host.length() - 1) : host));
        assertThatThrownBy(() -> send(url)).hasMessageContaining("not public");
        assertThat(dialled).isEmpty();
    }

    @Test
    void certificate_thatNobodyTrusts_endsTheConnection() {
        names.add(List.of("127.0.0.1"));
        HttpsPost system = new HttpsPost(
                (javax.net.ssl.SSLSocketFactory) javax.net.ssl.SSLSocketFactory.getDefault(),
                this::resolve,
                this::dial,
                true,
                PATIENCE);
        assertThatThrownBy(() -> system.send(URI.create("https://hooks.example/"), Map.of(), BODY))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void interimAnswers_arePassedOver() throws Exception {
        names.add(List.of(PUBLIC));
        receiver.answerWith("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n");
        assertThat(send("https://hooks.example/")).isEqualTo(202);
        receiver.next();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "SSH-2.0-x\r\n", "HTTP/1.1 999 x\r\n\r\n", "HTTP/1.1 20\r\n\r\n"})
    void answer_thatIsNotHttp_isAFailure(String answer) {
        names.add(List.of(PUBLIC));
        receiver.answerWith(answer);
        assertThatThrownBy(() -> send("https://hooks.example/"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not HTTP");
        receiver.forget();
    }

    @Test
    void answer_withoutAnEnd_isReadToABound() {
        names.add(List.of(PUBLIC));
        receiver.answerWith("HTTP/1.1 200 " + "x".repeat(2_000_000));
        assertThatThrownBy(() -> send("https://hooks.example/")).hasMessageContaining("not HTTP");
        receiver.answerWith("HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000));
        assertThatThrownBy(() -> send("https://hooks.example/")).hasMessageContaining("does not begin");
        receiver.forget();
    }

    /** Each byte that comes begins a read timeout anew; the whole time does not begin anew. */
    @Test
    void receiver_thatDribbles_isLeftAtTheDeadline() {
        names.add(List.of(PUBLIC));
        receiver.dribble();
        long began = System.nanoTime();
        assertThatThrownBy(() ->
                        post(false, Duration.ofMillis(700)).send(URI.create("https://hooks.example/"), Map.of(), BODY))
                .isInstanceOf(SocketTimeoutException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PATIENCE);
        receiver.forget();
    }
}
