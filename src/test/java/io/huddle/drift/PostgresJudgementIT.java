package io.huddle.drift;

import io.huddle.harness.Postgres;
import io.huddle.harness.Store;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

class PostgresJudgementIT extends JudgementRules {
    @SuppressWarnings("NullAway.Init")
    private static Store store;

    @BeforeAll
    static void schema() {
        store = Store.postgres(Postgres.shared().createDatabase());
        migrate(store.directUrl(), store.user(), store.password());
    }

    @Override
    Connection connect() throws SQLException {
        return store.connect();
    }
}
