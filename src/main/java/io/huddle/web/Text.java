package io.huddle.web;

/** What text the outside may hand in. Pure. */
public final class Text {
    /** Characters of a team, a participant: more than any identity provider hands out. */
    public static final int ID_LENGTH = 100;

    private Text() {}

    /**
     * The text itself if it is 1 to {@code longest} characters (code points) without control characters and unpaired
     * surrogates, which no database stores faithfully.
     *
     * @throws Refused {@code invalid-request} naming the field
     */
    public static String checked(String field, String text, int longest) {
        if (text.isBlank()) {
            throw Refused.invalid(field + " must not be empty");
        }
        if (text.codePointCount(0, text.length()) > longest) {
            throw Refused.invalid(field + " must have at most " + longest + " characters");
        }
        if (text.codePoints().anyMatch(Text::isUnstorable)) {
            throw Refused.invalid(field + " must not contain control characters or broken Unicode");
        }
        return text;
    }

    /** A pseudonymous participant: no white space and no {@code @}, so that no mail address or name gets in. */
    public static String participant(String field, String text) {
        checked(field, text, ID_LENGTH);
        if (text.indexOf('@') >= 0
                || text.codePoints().anyMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw Refused.invalid(field + " must be pseudonymous: without '@' and white space");
        }
        return text;
    }

    private static boolean isUnstorable(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL || type == Character.SURROGATE;
    }
}
