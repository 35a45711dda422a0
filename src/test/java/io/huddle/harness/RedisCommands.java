package io.huddle.harness;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One plain connection to a Redis server: a command, its answer. Independent of the client library under test. */
public final class RedisCommands implements AutoCloseable {
    private static final int TIMEOUT_MS = 5_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    RedisCommands(int port) {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
            socket.setSoTimeout(TIMEOUT_MS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Texts and numbers, lists of them, null for nothing.
     *
     * @throws IllegalStateException with what the server said, if it refused
     */
    public synchronized @Nullable Object ask(String... command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, "*" + command.length);
        for (String word : command) {
            write(out, "$" + word.getBytes(StandardCharsets.UTF_8).length);
            write(out, word);
        }
        try {
            socket.getOutputStream().write(out.toByteArray());
            return answer();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** An answer that is a text. */
    public String text(String... command) {
        return String.valueOf(ask(command));
    }

    private @Nullable Object answer() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.parseLong(rest);
            case '$' -> rest.equals("-1") ? null : bulk(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new IllegalStateException(rest);
        };
    }

    private List<@Nullable Object> list(int length) throws IOException {
        List<@Nullable Object> items = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            items.add(answer());
        }
        return items;
    }

    private String bulk(int length) throws IOException {
        String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        line();
        return text;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("Redis closed the connection");
            }
            if (read != '\r') {
                line.write(read);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static void write(ByteArrayOutputStream out, String text) {
        out.writeBytes((text + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
