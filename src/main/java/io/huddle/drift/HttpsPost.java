package io.huddle.drift;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * One POST over TLS to an address that was checked, and to no other. Blocks for at most the timeout. Safe for use by any
 * thread.
 *
 * <p>The name is resolved once; every address it has must be allowed; the first is dialled as a number, so that a second
 * answer of the name server cannot lead elsewhere. The certificate must be the name's. No redirect is followed, no body of
 * an answer read.
 */
final class HttpsPost {
    private static final int HTTPS = 443;
    private static final int LONGEST_HEAD = 16_384;
    private static final int LONGEST_LINE = 1_024;
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5]\\d\\d)(?: .*)?");
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+|\\[.*]");

    private final SSLSocketFactory tls;
    private final Resolver resolver;
    private final Dialler dialler;
    private final boolean allowPrivate;
    private final Duration timeout;

    /** Finds the addresses of a name. */
    @FunctionalInterface
    interface Resolver {
        List<InetAddress> resolve(String host) throws IOException;
    }

    /** Opens the connection. */
    @FunctionalInterface
    interface Dialler {
        Socket dial(InetSocketAddress address, Duration timeout) throws IOException;
    }

    HttpsPost(SSLSocketFactory tls, Resolver resolver, Dialler dialler, boolean allowPrivate, Duration timeout) {
        this.tls = tls;
        this.resolver = resolver;
        this.dialler = dialler;
        this.allowPrivate = allowPrivate;
        this.timeout = timeout;
    }

    /** With the system's names and the certificates that the Java platform trusts. */
    static HttpsPost ofTheSystem(boolean allowPrivate, Duration timeout) {
        return new HttpsPost(
                platformTrust(),
                host -> List.of(InetAddress.getAllByName(host)),
                HttpsPost::dial,
                allowPrivate,
                timeout);
    }

    /**
     * Sends the body.
     *
     * @return the status of the answer, from 200 on
     * @throws IOException if the address is refused, the receiver cannot be reached or proven, or does not answer in HTTP
     */
    int send(URI url, Map<String, String> headers, byte[] body) throws IOException {
        String host = url.getHost();
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = url.getPort() < 0 ? HTTPS : url.getPort();
        InetSocketAddress address = new InetSocketAddress(allowed(name), port);
        try (Socket socket = dialler.dial(address, timeout);
                SSLSocket secured = (SSLSocket) tls.createSocket(socket, name, port, true)) {
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            if (!NUMBERS.matcher(host).matches()) {
                parameters.setServerNames(List.of(new SNIHostName(name)));
            }
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            secured.getOutputStream().write(request(url, headers, body));
            secured.getOutputStream().flush();
            return status(secured.getInputStream());
        }
    }

    static Socket dial(InetSocketAddress address, Duration timeout) throws IOException {
        DeadlineSocket socket = new DeadlineSocket(timeout);
        try {
            socket.dial(address);
            return socket;
        } catch (IOException unreachable) {
            socket.close();
            throw unreachable;
        }
    }

    /** One address that is not allowed is enough to refuse them all: who answers so means no good. */
    private InetAddress allowed(String name) throws IOException {
        List<InetAddress> found = resolver.resolve(name);
        if (found.isEmpty()) {
            throw new IOException("the receiver's name has no address");
        }
        for (InetAddress address : found) {
            if (!AddressRules.isAllowed(address, allowPrivate)) {
                throw new IOException("the receiver's name leads to an address that is not public");
            }
        }
        return found.get(0);
    }

    private static byte[] request(URI url, Map<String, String> headers, byte[] body) throws IOException {
        String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        StringBuilder head = new StringBuilder("POST ").append(path);
        if (url.getRawQuery() != null) {
            head.append('?').append(url.getRawQuery());
        }
        head.append(" HTTP/1.1\r\nHost: ").append(url.getHost().toLowerCase(Locale.ROOT));
        if (url.getPort() >= 0) {
            head.append(':').append(url.getPort());
        }
        head.append("\r\nContent-Type: application/json\r\nContent-Length: ")
                .append(body.length)
                .append("\r\nUser-Agent: huddle\r\nConnection: close\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        request.write(body);
        return request.toByteArray();
    }

    /** Interim answers (1xx) are passed over. */
    private static int status(InputStream answer) throws IOException {
        int left = LONGEST_HEAD;
        while (left > 0) {
            String line = line(answer);
            left -= line.length() + 1;
            Matcher status = STATUS.matcher(line);
            if (!status.matches()) {
                throw new IOException("the receiver's answer is not HTTP");
            }
            int code = Integer.parseInt(status.group(1));
            if (code >= 200) {
                return code;
            }
            while (!line.isEmpty() && left > 0) {
                line = line(answer);
                left -= line.length() + 1;
            }
        }
        throw new IOException("the receiver's answer does not begin");
    }

    private static String line(InputStream answer) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = answer.read(); next != '\n'; next = answer.read()) {
            if (next < 0 || line.length() >= LONGEST_LINE) {
                throw new IOException("the receiver's answer is not HTTP");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    /** Not the server's own context, which trusts nobody but its own key store. */
    private static SSLSocketFactory platformTrust() {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init((KeyStore) null);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("the Java platform's trusted certificates cannot be read", missing);
        }
    }
}
