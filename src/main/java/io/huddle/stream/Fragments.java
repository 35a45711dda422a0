package io.huddle.stream;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** The fragments of one message until the last has come. For use by one thread at a time. */
final class Fragments {
    private final ByteArrayOutputStream joined = new ByteArrayOutputStream(0);
    private final StringBuilder text = new StringBuilder();
    private int bytes;

    void add(ByteBuffer part) {
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        joined.writeBytes(copy);
        bytes += copy.length;
    }

    void add(String part, int size) {
        text.append(part);
        bytes += size;
    }

    int bytes() {
        return bytes;
    }

    /** True if so many bytes more make a message of no more than {@code most}. */
    boolean isWithin(int most, int more) {
        return bytes + (long) more <= most;
    }

    ByteBuffer binary() {
        return ByteBuffer.wrap(joined.toByteArray());
    }

    String text() {
        return text.toString();
    }
}
