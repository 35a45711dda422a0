package io.huddle.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list that a {@link Script} answered, whose items are read by their place. A place past the end is as one that holds
 * nothing: Redis cuts a list at its first nil.
 */
public final class Reply {
    private final List<@Nullable Object> items;

    Reply(List<@Nullable Object> items) {
        this.items = items;
    }

    public int size() {
        return items.size();
    }

    public boolean has(int index) {
        return index < items.size() && items.get(index) != null;
    }

    /** @throws IllegalStateException if there is nothing */
    public byte[] bytes(int index) {
        if (item(index) instanceof byte[] bytes) {
            return bytes;
        }
        throw new IllegalStateException("item " + index + " is no text");
    }

    public String text(int index) {
        return new String(bytes(index), StandardCharsets.UTF_8);
    }

    /** A number, whether the script gave it as one or as digits. */
    public long number(int index) {
        return item(index) instanceof Long number ? number : Long.parseLong(text(index));
    }

    @SuppressWarnings("unchecked")
    public Reply list(int index) {
        if (item(index) instanceof List<?> list) {
            return new Reply((List<@Nullable Object>) list);
        }
        throw new IllegalStateException("item " + index + " is no list");
    }

    private Object item(int index) {
        Object item = index < items.size() ? items.get(index) : null;
        if (item == null) {
            throw new IllegalStateException("there is no item " + index);
        }
        return item;
    }
}
