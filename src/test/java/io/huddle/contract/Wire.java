package io.huddle.contract;

import io.huddle.harness.Answer;
import io.huddle.harness.Node;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One HTTP exchange written byte by byte, for requests that no decent client would send. */
final class Wire {
    private static final int PATIENCE_MS = 15_000;

    private Wire() {}

    /**
     * Sends the lines and the body as they are, and reads until the node closes the connection.
     *
     * @param lines request line and headers, without Host and Connection
     */
    static Answer exchange(Node node, List<String> lines, byte[] body) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
            socket.setSoTimeout(PATIENCE_MS);
            List<String> head = new ArrayList<>(lines);
            head.add(1, "Host: localhost:" + node.port());
            head.add("Connection: close");
            OutputStream out = socket.getOutputStream();
            out.write((String.join("\r\n", head) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            write(out, body);
            return parse(read(socket.getInputStream()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The bytes as one chunk and the last, as {@code Transfer-Encoding: chunked} wants them. */
    static byte[] chunked(byte[] body) {
        ByteArrayOutputStream chunks = new ByteArrayOutputStream();
        chunks.writeBytes((Integer.toHexString(body.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        chunks.writeBytes(body);
        chunks.writeBytes("\r\n0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return chunks.toByteArray();
    }

    private static void write(OutputStream out, byte[] body) {
        try {
            out.write(body);
            out.flush();
        } catch (IOException refusedEarly) {
            // The node may answer and hang up before it has read everything; what it said is what counts.
        }
    }

    /** What came before the end, which a node that hangs up early may make a reset. */
    private static byte[] read(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] some = new byte[8192];
        try {
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                all.write(some, 0, read);
            }
        } catch (java.net.SocketException reset) {
            if (all.size() == 0) {
                throw reset;
            }
        }
        return all.toByteArray();
    }

    private static Answer parse(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new AssertionError("no HTTP answer: " + text);
        }
        List<String> head = text.substring(0, end).lines().toList();
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : head.subList(1, head.size())) {
            int colon = line.indexOf(':');
            headers.computeIfAbsent(line.substring(0, colon).strip(), name -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        byte[] body = java.util.Arrays.copyOfRange(bytes, end + 4, bytes.length);
        if (headers.getOrDefault("Transfer-Encoding", List.of()).contains("chunked")) {
            body = unchunked(body);
        }
        return new Answer(
                Integer.parseInt(head.get(0).substring(9, 12)),
                HttpHeaders.of(headers, (name, value) -> true),
                new String(body, StandardCharsets.UTF_8));
    }

    private static byte[] unchunked(byte[] chunks) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(chunks);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = size(in); size > 0; size = size(in)) {
            body.writeBytes(in.readNBytes(size));
            in.readNBytes(2);
        }
        return body.toByteArray();
    }

    private static int size(ByteArrayInputStream in) {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        String hex = line.toString().strip();
        return hex.isEmpty() ? 0 : Integer.parseInt(hex, 16);
    }
}
