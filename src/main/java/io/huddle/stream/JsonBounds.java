package io.huddle.stream;

/**
 * Whether a JSON text is small in its structure, told before it is read. Pure.
 *
 * <p>The reader builds the whole text as a tree, fields that it does not know included: eight megabytes of empty objects
 * become more than four hundred of heap. No message of a client holds more than a few dozen values, whatever its length;
 * the bounds leave room for messages of the future. The reader also takes what is no JSON, such as strings in single
 * quotes; that is refused here, since it would hide structure from the count.
 */
final class JsonBounds {
    private static final int MOST_VALUES = 10_000;
    private static final int DEEPEST = 64;

    private JsonBounds() {}

    /** True for one object of at most so many values, so deep, with nothing behind it. Not every such text is JSON. */
    static boolean holds(String text) {
        int depth = 0;
        int values = 0;
        boolean begun = false;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (begun && depth == 0 && !isSpace(c)) {
                return false;
            }
            switch (c) {
                case '"' -> at = endOfString(text, at);
                case '{', '[' -> {
                    begun = true;
                    depth++;
                    values++;
                }
                case '}', ']' -> depth--;
                case ',' -> values++;
                case '\'', '\\', '/', '#', ';', '=' -> {
                    return false;
                }
                default -> {}
            }
            if (at < 0 || depth < 0 || depth > DEEPEST || values > MOST_VALUES) {
                return false;
            }
            at++;
        }
        return begun && depth == 0;
    }

    /** Where the string that begins here has its closing quote; -1 if it has none. */
    private static int endOfString(String text, int from) {
        int at = from + 1;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                return at;
            }
            at += c == '\\' ? 2 : 1;
        }
        return -1;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
