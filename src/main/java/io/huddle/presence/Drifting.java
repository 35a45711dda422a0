package io.huddle.presence;

import java.sql.SQLException;

/**
 * Says whether a session is judged to drift: leased, and without evidence that its media flows. A bean of the package that
 * judges drift implements it; without one nobody drifts.
 */
@FunctionalInterface
public interface Drifting {
    /**
     * Asked in the transaction that ends the generation, before its row is written, so the answer is of one short query on
     * the transaction's own connection. Never asked for a plain renewal.
     *
     * @throws SQLException if the database does not answer; the transaction is then given up and tried again
     */
    boolean isDrifting(String session, long generation) throws SQLException;
}
