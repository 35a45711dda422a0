package io.huddle.admin;

import io.huddle.web.Cursor;
import io.huddle.web.Refused;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conditions of one search and their values, in order. Conditions are constants of the code. One thread. */
final class Where {
    private final StringBuilder sql = new StringBuilder(" WHERE 1 = 1");
    private final List<Object> values = new ArrayList<>();

    Where and(String condition, Object... more) {
        sql.append(" AND ").append(condition);
        values.addAll(List.of(more));
        return this;
    }

    /** The condition with this value, or nothing where there is no value to filter by. */
    Where andIf(@Nullable Object value, String condition) {
        return value == null ? this : and(condition, value);
    }

    /** Any of these expressions contains the text, whatever the case: by the database's rules on both sides. */
    Where contains(String text, String... expressions) {
        String pattern = "%" + text.replaceAll("[!%_]", "!$0") + "%";
        List<String> each = new ArrayList<>();
        for (String expression : expressions) {
            each.add("lower(" + expression + ") LIKE lower(?) ESCAPE '!'");
            values.add(pattern);
        }
        sql.append(" AND (").append(String.join(" OR ", each)).append(')');
        return this;
    }

    /** Behind the page before, newest first. */
    Where behind(@Nullable Cursor cursor, String at, String id) {
        return cursor == null ? this : and("(" + at + ", " + id + ") < (?, ?)", cursor.at(), cursor.id());
    }

    String sql() {
        return sql.toString();
    }

    /** Binds the values from 1 on, then the limit. */
    void bind(PreparedStatement query, int limit) throws SQLException {
        int place = 1;
        for (Object value : values) {
            if (value instanceof Instant instant) {
                query.setTimestamp(place, Timestamp.from(instant));
            } else {
                query.setObject(place, value);
            }
            place++;
        }
        query.setInt(place, limit);
    }

    /** A value of a closed set, or null for no filter. */
    static @Nullable String oneOf(String name, @Nullable String text, List<String> allowed) {
        if (text == null || allowed.contains(text)) {
            return text;
        }
        throw Refused.invalid(name + " must be one of " + String.join(", ", allowed));
    }

    /** {@code true}, {@code false}, or null for no filter. */
    static @Nullable Boolean flag(String name, @Nullable String text) {
        String known = oneOf(name, text, List.of("true", "false"));
        return known == null ? null : Boolean.valueOf(known);
    }
}
