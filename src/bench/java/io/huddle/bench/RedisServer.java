package io.huddle.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the Redis server says of itself. */
final class RedisServer {
    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");

    private final Socket socket;
    private final InputStream in;

    RedisServer(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Scripts that nodes had run: each is one round trip, whatever commands are in it. */
    long scripts() throws IOException {
        long scripts = 0;
        Matcher each = CALLS.matcher(ask("INFO", "commandstats").toString());
        while (each.find()) {
            if (each.group(1).startsWith("eval")) {
                scripts += Long.parseLong(each.group(2));
            }
        }
        return scripts;
    }

    /** Every command, those that scripts run as well. */
    long commands() throws IOException {
        Matcher total = Pattern.compile("total_commands_processed:(\\d+)")
                .matcher(ask("INFO", "stats").toString());
        if (!total.find()) {
            throw new IOException("no statistics");
        }
        return Long.parseLong(total.group(1));
    }

    void rememberSlow(int micros) throws IOException {
        ask("CONFIG", "SET", "slowlog-log-slower-than", Integer.toString(micros));
        ask("CONFIG", "SET", "slowlog-max-len", "10000");
        ask("SLOWLOG", "RESET");
    }

    /** How long each slow command took, in microseconds. */
    List<Long> slow() throws IOException {
        List<Long> micros = new ArrayList<>();
        for (Object entry : (List<?>) ask("SLOWLOG", "GET", "10000")) {
            micros.add((Long) ((List<?>) entry).get(2));
        }
        return micros;
    }

    private Object ask(String... command) throws IOException {
        StringBuilder text = new StringBuilder("*" + command.length + "\r\n");
        for (String word : command) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.US_ASCII));
        return answer();
    }

    private Object answer() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> {
                List<Object> items = new ArrayList<>();
                for (int i = Integer.parseInt(rest); i > 0; i--) {
                    items.add(answer());
                }
                yield items;
            }
            default -> throw new IOException(rest);
        };
    }

    private String bulk(int length) throws IOException {
        String text = new String(in.readNBytes(Math.max(0, length)), StandardCharsets.UTF_8);
        if (length >= 0) {
            line();
        }
        return text;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("Redis has closed the connection");
            }
            if (read != '\r') {
                line.append((char) read);
            }
        }
        return line.toString();
    }
}
