package io.huddle.store;

import static io.huddle.store.Failure.CONFLICT;
import static io.huddle.store.Failure.DEFECT;
import static io.huddle.store.Failure.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureTest {
    /** A class whose simple name is that of the server's, which no test can name. */
    private static final class ResourceAllocationException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private static final class RollbackException extends Exception {
        private static final long serialVersionUID = 1L;

        RollbackException() {}

        RollbackException(Throwable cause) {
            super(cause);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "23505, CONFLICT", // unique_violation, on both
        "40001, CONFLICT", // serialization_failure; H2: deadlock
        "40P01, CONFLICT", // deadlock_detected
        "90131, CONFLICT", // H2: concurrent update
        "55P03, UNAVAILABLE", // lock_not_available, lock_timeout
        "57014, UNAVAILABLE", // query_canceled, statement_timeout
        "25P03, UNAVAILABLE", // idle_in_transaction_session_timeout
        "25P02, UNAVAILABLE", // in_failed_sql_transaction
        "57P01, UNAVAILABLE", // admin_shutdown
        "57P02, UNAVAILABLE", // crash_shutdown
        "57P03, UNAVAILABLE", // cannot_connect_now
        "08000, UNAVAILABLE",
        "08001, UNAVAILABLE", // unable to connect
        "08003, UNAVAILABLE",
        "08006, UNAVAILABLE", // connection_failure
        "53300, UNAVAILABLE", // too_many_connections
        "53100, UNAVAILABLE", // disk_full
        "58030, UNAVAILABLE", // io_error
        "HYT00, UNAVAILABLE", // H2: lock timeout
        "90067, UNAVAILABLE", // H2: connection broken
        "90098, UNAVAILABLE", // H2: database closed
        "90121, UNAVAILABLE", // H2: closed by shutdown
        "23502, DEFECT", // not null
        "23503, DEFECT", // foreign key
        "22001, DEFECT", // too long
        "22008, DEFECT", // datetime overflow
        "42601, DEFECT", // syntax
        "42P01, DEFECT", // no such table
        "42501, DEFECT", // privilege
        "28P01, DEFECT", // password
        "XX000, DEFECT"
    })
    void failure_sqlState_means(String state, Failure failure) {
        assertThat(Failure.of(new SQLException("x", state))).isEqualTo(failure);
        assertThat(Failure.of(new BatchUpdateException("x", state, new int[0]))).isEqualTo(failure);
    }

    @Test
    void failure_nested_isFoundInTheCauses() {
        SQLException unique = new SQLException("x", "23505");
        assertThat(Failure.of(new RuntimeException(new RollbackException(new IOException(unique)))))
                .isEqualTo(CONFLICT);
        assertThat(Failure.of(new IllegalStateException("x", new SQLException("y", "57P01"))))
                .isEqualTo(UNAVAILABLE);
    }

    @Test
    void failure_severalStates_theOutermostCounts() {
        SQLException inner = new SQLException("x", "40P01");
        assertThat(Failure.of(new SQLException("y", "42601", inner))).isEqualTo(DEFECT);
    }

    @Test
    void failure_withoutState_isThatOfItsCause() {
        assertThat(Failure.of(new SQLException("pool", new SQLException("x", "40001"))))
                .isEqualTo(CONFLICT);
        assertThat(Failure.of(new SQLException("pool", new IllegalStateException("bug"))))
                .isEqualTo(DEFECT);
    }

    @Test
    void failure_pool_isUnavailable() {
        assertThat(Failure.of(new SQLTransientConnectionException("timed out"))).isEqualTo(UNAVAILABLE);
        assertThat(Failure.of(new SQLException("no connection", new ResourceAllocationException())))
                .isEqualTo(UNAVAILABLE);
        assertThat(Failure.of(new RuntimeException(new ResourceAllocationException())))
                .isEqualTo(UNAVAILABLE);
    }

    @Test
    void failure_rollbackWithoutCause_isUnavailable() {
        assertThat(Failure.of(new RollbackException())).isEqualTo(UNAVAILABLE);
        assertThat(Failure.of(new RollbackException(new IllegalStateException("bug"))))
                .isEqualTo(DEFECT);
    }

    @Test
    void failure_ourOwnAnswer_isUnavailable() {
        assertThat(Failure.of(new DatabaseUnavailable("x", null))).isEqualTo(UNAVAILABLE);
        assertThat(Failure.of(new RuntimeException(new DatabaseUnavailable("x", new SQLException("y", "23505")))))
                .isEqualTo(UNAVAILABLE);
    }

    @Test
    void failure_noDatabaseAnywhere_isADefect() {
        assertThat(Failure.of(new NullPointerException())).isEqualTo(DEFECT);
        assertThat(Failure.of(new StackOverflowError())).isEqualTo(DEFECT);
    }

    @Test
    void failure_causesInACircle_end() {
        Exception one = new Exception("one");
        Exception two = new Exception("two", one);
        one.initCause(two);
        assertThat(Failure.of(one)).isEqualTo(DEFECT);
    }
}
