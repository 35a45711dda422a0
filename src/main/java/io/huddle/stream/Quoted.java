package io.huddle.stream;

/** What a client chose, made fit for one line of a log: short, and without control characters. Pure. */
final class Quoted {
    private static final int LENGTH = 64;

    private Quoted() {}

    static String of(String text) {
        String shortened = text.length() <= LENGTH ? text : text.substring(0, LENGTH) + "…";
        return shortened.replaceAll("[^\\x20-\\x7e…]", "?");
    }
}
