package io.huddle.harness;

import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of an event stream as the HTML standard says ("interpreting an event stream"), so that the tests believe
 * only what a browser would. For one thread.
 */
final class SseParser {
    private String lastId = "";
    private String type = "";
    private @Nullable StringJoiner data;

    /** Takes the next line, without its end; an empty one completes an event if it has data. */
    Optional<Sse.Event> line(String line) {
        if (line.isEmpty()) {
            return dispatch();
        }
        int colon = line.indexOf(':');
        if (colon < 0) {
            field(line, "");
        } else if (colon > 0) {
            String value = line.substring(colon + 1);
            field(line.substring(0, colon), value.startsWith(" ") ? value.substring(1) : value);
        }
        return Optional.empty();
    }

    private void field(String name, String value) {
        switch (name) {
            case "event" -> type = value;
            case "data" -> data = (data == null ? new StringJoiner("\n") : data).add(value);
            case "id" -> lastId = value.indexOf('\0') < 0 ? value : lastId;
            default -> {
                // "retry" concerns who reconnects by itself; anything else is to be ignored.
            }
        }
    }

    private Optional<Sse.Event> dispatch() {
        StringJoiner lines = data;
        String named = type.isEmpty() ? "message" : type;
        type = "";
        data = null;
        return lines == null ? Optional.empty() : Optional.of(new Sse.Event(lastId, named, lines.toString()));
    }
}
