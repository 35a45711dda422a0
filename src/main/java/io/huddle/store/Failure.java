package io.huddle.store;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a failure of the database means for the caller. Pure: judged by SQLState alone, anywhere in the cause chain. */
public enum Failure {
    /** Lost a race (uniqueness, deadlock, serialization): the same work in a new transaction gives the answer. */
    CONFLICT,
    /** Down, cut off, too slow or locked: answer 503, nothing is half done. */
    UNAVAILABLE,
    /** Not the database's state but ours: a defect. */
    DEFECT;

    private static final Set<String> CONFLICTS = Set.of("23505", "40001", "40P01", "90131");
    /** Lock and statement timeouts, ended idle transactions, a standby, shutdown, too many connections, H2 closed, cut off or out of disk. */
    private static final Set<String> OUTAGES = Set.of(
            "55P03", "57014", "25006", "25P03", "25P02", "57P01", "57P02", "57P03", "HYT00", "90028", "90031", "90098",
            "90121", "90067");

    private static final int DEPTH = 20;

    /** Judges a throwable by the first SQLState in its cause chain. */
    public static Failure of(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEPTH; depth++) {
            Failure known = ofOne(cause);
            if (known != null) {
                return known;
            }
            cause = cause.getCause();
        }
        return DEFECT;
    }

    private static @Nullable Failure ofOne(Throwable cause) {
        if (cause instanceof DatabaseUnavailable) {
            return UNAVAILABLE;
        }
        if (cause instanceof SQLException sql) {
            return ofState(sql);
        }
        // Raised by the server's pool and transaction service, whose classes the application cannot name.
        String name = cause.getClass().getName();
        if (name.endsWith("ResourceAllocationException") || name.endsWith("ConnectionWaitTimeoutException")) {
            return UNAVAILABLE;
        }
        if (name.endsWith("RollbackException") && cause.getCause() == null) {
            return UNAVAILABLE;
        }
        return null;
    }

    private static @Nullable Failure ofState(SQLException sql) {
        String state = sql.getSQLState();
        if (state == null) {
            return sql.getCause() == null ? UNAVAILABLE : null;
        }
        if (CONFLICTS.contains(state)) {
            return CONFLICT;
        }
        if (OUTAGES.contains(state) || state.startsWith("08") || state.startsWith("53") || state.startsWith("58")) {
            return UNAVAILABLE;
        }
        return DEFECT;
    }
}
