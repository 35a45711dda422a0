package io.huddle.admin;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a row holds, with null where it holds nothing. Pure. */
final class Columns {
    private Columns() {}

    static Instant instant(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(optionalInstant(row, column), column);
    }

    static @Nullable Instant optionalInstant(ResultSet row, String column) throws SQLException {
        Timestamp stored = row.getTimestamp(column);
        return stored == null ? null : stored.toInstant();
    }

    static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    static @Nullable Boolean flag(ResultSet row, String column) throws SQLException {
        boolean flag = row.getBoolean(column);
        return row.wasNull() ? null : flag;
    }
}
