package io.huddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One keep-alive HTTP connection: a request after the other, answers of a stated length or in chunks. */
final class HttpLine extends Line {
    private static final String END = "\r\n\r\n";
    private static final String LENGTH = "\r\ncontent-length:";

    HttpLine(Loop loop, int port) throws IOException {
        super(loop, port, 0);
    }

    @Override
    void connected() {
        // The first request is its taker's.
    }

    @Override
    boolean take(ByteBuffer read) {
        String text = StandardCharsets.ISO_8859_1.decode(read.duplicate()).toString();
        int head = text.indexOf(END);
        if (head < 0) {
            return false;
        }
        int whole = head + END.length() + body(text, head);
        if (whole < head || text.length() < whole) {
            return false;
        }
        ByteBuffer answer = read.slice(read.position(), whole);
        read.position(read.position() + whole);
        deliver(answer);
        return true;
    }

    /** The body's length on the wire; far below zero while that is not known. */
    private static int body(String text, int head) {
        String header = text.substring(0, head + 2).toLowerCase(Locale.ROOT);
        int length = header.indexOf(LENGTH);
        if (length >= 0) {
            int from = length + LENGTH.length();
            return Integer.parseInt(
                    header.substring(from, header.indexOf("\r\n", from)).strip());
        }
        int end = text.indexOf("\r\n0\r\n\r\n", head);
        return end < 0 ? Integer.MIN_VALUE / 2 : end + 7 - head - END.length();
    }
}
