package io.huddle.registry;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a page of a listing ended: the shard and the last client of the page, by which changes made meanwhile neither repeat
 * nor skip a client that is there all the time. Pure; the same for every backend.
 *
 * @param listing which one, so that a cursor of another is noticed
 * @param shard where to go on
 * @param after the last client listed there, empty if none was
 */
record ListingCursor(String listing, int shard, String after) {
    static final String CLIENTS = "c";

    static String clientsOfNode(long node) {
        return "n" + node;
    }

    static String recordsOfNode(long node) {
        return "r" + node;
    }

    /** @throws IllegalArgumentException for anything that this class did not write itself for this listing and these shards */
    static ListingCursor parse(String text, String listing, Shards shards) {
        if (text.isEmpty()) {
            return new ListingCursor(listing, 0, "");
        }
        ListingCursor cursor = read(text);
        boolean ours = cursor.text().equals(text)
                && cursor.listing.equals(listing)
                && cursor.shard >= 0
                && cursor.shard < shards.count()
                && (cursor.after.isEmpty() || shards.of(cursor.after) == cursor.shard);
        if (!ours) {
            throw notOurs();
        }
        return cursor;
    }

    private static ListingCursor read(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            String[] parts = plain.split("\\.", 3);
            if (parts.length < 3) {
                throw notOurs();
            }
            return new ListingCursor(parts[0], Integer.parseInt(parts[1]), parts[2]);
        } catch (NumberFormatException unreadable) {
            throw notOurs();
        }
    }

    /** Says nothing of the text: a client id may be in it. */
    private static IllegalArgumentException notOurs() {
        return new IllegalArgumentException("a cursor is the value of 'next' of the page before");
    }

    String text() {
        String plain = listing + "." + shard + "." + after;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }
}
