package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class TcpProxyTest {
    private static final int SILENCE = 200;

    private final ServerSocket echo;
    private final TcpProxy proxy;

    TcpProxyTest() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        proxy = TcpProxy.to(echo.getLocalPort());
    }

    @BeforeEach
    void serve() {
        daemon(() -> {
            while (true) {
                Socket accepted = echo.accept();
                daemon(() -> {
                    try (accepted) {
                        accepted.getInputStream().transferTo(accepted.getOutputStream());
                    }
                });
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        echo.close();
    }

    @Test
    void proxy_untouched_passesBothWaysAndTheEnd() throws IOException {
        try (Socket client = connect()) {
            assertThat(roundTrip(client, 1)).isEqualTo(1);
            assertThat(proxy.connections()).isEqualTo(1);
        }
        Awaiting.until("connection forgotten", () -> proxy.connections() == 0);
    }

    @Test
    void proxy_cut_resetsAndRefusesUntilMended() throws IOException {
        try (Socket client = connect()) {
            assertThat(roundTrip(client, 1)).isEqualTo(1);
            proxy.cut();
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset");
        }
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        proxy.mend();
        try (Socket client = connect()) {
            assertThat(roundTrip(client, 2)).isEqualTo(2);
        }
    }

    @Test
    void proxy_stalled_acceptsAndHoldsBackUntilMended() throws IOException {
        proxy.stall();
        try (Socket client = connect()) {
            client.getOutputStream().write(3);
            assertSilent(client);
            proxy.mend();
            assertThat(client.getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void proxy_stalledTowardsClient_stillReachesServer() throws IOException {
        try (Socket client = connect()) {
            assertThat(roundTrip(client, 1)).isEqualTo(1);
            proxy.stall(TcpProxy.Direction.TO_CLIENT);
            client.getOutputStream().write(4);
            assertSilent(client);
            proxy.cut();
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void proxy_delayed_answersLate() throws IOException {
        proxy.delay(Duration.ofMillis(150));
        try (Socket client = connect()) {
            long start = System.nanoTime();
            assertThat(roundTrip(client, 5)).isEqualTo(5);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        }
    }

    @Test
    void proxy_serverDown_resetsTheClient() throws IOException {
        echo.close();
        try (Socket client = connect()) {
            assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static int roundTrip(Socket client, int value) throws IOException {
        client.getOutputStream().write(value);
        return client.getInputStream().read();
    }

    private static void assertSilent(Socket client) throws IOException {
        client.setSoTimeout(SILENCE);
        InputStream answers = client.getInputStream();
        assertThatThrownBy(answers::read).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(0);
    }

    private static void daemon(Talk talk) {
        Thread thread = new Thread(() -> {
            try {
                talk.run();
            } catch (IOException over) {
                // The test closed its end.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private interface Talk {
        void run() throws IOException;
    }
}
