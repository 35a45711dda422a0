package io.huddle.store;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pooled connections, and what is known of the database behind them. Safe for use by any thread.
 *
 * <p>A connection taken inside a JTA transaction is the transaction's own, the same that Jakarta Persistence uses, so both
 * see each other's writes and commit together.
 */
@ApplicationScoped
public class Database {
    @Resource(name = "jdbc/huddle")
    private DataSource pool;

    /**
     * The same pool, unshared. Outside of a transaction the server keeps a shared connection, closed or not, until the
     * request ends; a transaction of the same request would then need a second one, and as many requests as the pool has
     * connections would wait for each other.
     */
    @Resource(name = "jdbc/huddle-unshared")
    private DataSource unshared;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry transactions;

    @Resource(name = "jdbc/huddle-migration")
    private DataSource migration;

    private volatile @Nullable Dialect dialect;

    /** A connection to close after use; it blocks for at most the pool's connection timeout. */
    public Connection connection() throws SQLException {
        boolean isInside = transactions.getTransactionStatus() != Status.STATUS_NO_TRANSACTION;
        return (isInside ? pool : unshared).getConnection();
    }

    /** Connections without the short timeouts, for changes of the schema only. */
    DataSource migration() {
        return migration;
    }

    /**
     * The kind of database.
     *
     * @throws DatabaseUnavailable before the schema was asserted
     */
    public Dialect dialect() {
        Dialect known = dialect;
        if (known == null) {
            throw new DatabaseUnavailable("the database has not been reached yet", null);
        }
        return known;
    }

    /** True once the schema was found to be the one of this build. */
    public boolean isReady() {
        return dialect != null;
    }

    void ready(Dialect found) {
        dialect = found;
    }
}
