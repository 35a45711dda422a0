package io.huddle.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A receiver of webhooks that can be made to answer anything; one connection at a time. */
public final class TlsReceiver implements AutoCloseable {
    private static final char[] PASSWORD = "receiver".toCharArray();

    private final Path store;
    private final SSLServerSocket server;
    private final SSLSocketFactory trust;
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable String answer;

    /** What arrived. */
    public record Request(String head, String body, List<String> serverNames) {
        /** A header's value; empty if it did not come. */
        public String header(String name) {
            return head.lines()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    private TlsReceiver(Path store, SSLServerSocket server, SSLSocketFactory trust) {
        this.store = store;
        this.server = server;
        this.trust = trust;
    }

    /** Makes a certificate for the name with the Java platform's own tool. */
    public static TlsReceiver start(Path folder, String name) throws Exception {
        Files.createDirectories(folder);
        Path file = folder.resolve("receiver.p12");
        Files.deleteIfExists(file);
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "receiver",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "SAN=dns:" + name,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(Files.readString(folder.resolve("keytool.log")));
        }
        KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        TlsReceiver receiver = new TlsReceiver(file, server, context.getSocketFactory());
        Thread thread = new Thread(receiver::serve, "receiver");
        thread.setDaemon(true);
        thread.start();
        return receiver;
    }

    public int port() {
        return server.getLocalPort();
    }

    /** The JVM options of a node that trusts this receiver's certificate and no other. */
    public String trustOptions() {
        return "-Djavax.net.ssl.trustStore=" + store.toAbsolutePath() + " -Djavax.net.ssl.trustStorePassword="
                + new String(PASSWORD);
    }

    /** Trusts this receiver's certificate alone. */
    public SSLSocketFactory trust() {
        return trust;
    }

    public void answerWith(String text) {
        answer = text;
    }

    /** One byte every 50 ms, for ever. */
    public void dribble() {
        answer = null;
    }

    public Request next() throws InterruptedException {
        Request request = requests.poll(20, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("nothing arrived");
        }
        return request;
    }

    public boolean isEmpty() {
        return requests.isEmpty();
    }

    /** What has arrived and was not taken yet, in its order. */
    public List<Request> arrived() {
        return List.copyOf(requests);
    }

    public void forget() {
        requests.clear();
    }

    @Override
    public void close() throws IOException {
        ended.countDown();
        server.close();
    }

    private void serve() {
        while (!server.isClosed()) {
            try (SSLSocket socket = (SSLSocket) server.accept()) {
                answer(socket);
            } catch (IOException left) {
                // The caller ended the connection, or the test is over: the next one, then.
                System.getLogger("receiver").log(System.Logger.Level.TRACE, "a connection ended", left);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void answer(SSLSocket socket) throws IOException, InterruptedException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return;
            }
            head.append((char) next);
        }
        int length = head.toString()
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        List<String> names = ((ExtendedSSLSession) socket.getSession())
                .getRequestedServerNames().stream()
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .toList();
        // Before anybody sees the request: whoever sees it may change the answer to the next one.
        String text = answer;
        requests.add(new Request(head.toString(), body, names));
        OutputStream out = socket.getOutputStream();
        if (text != null) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return;
        }
        while (!ended.await(50, TimeUnit.MILLISECONDS)) {
            out.write('H');
            out.flush();
        }
    }
}
