package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PostgresIT {
    @Test
    void server_stoppedAndStarted_keepsDataAndPort() throws SQLException {
        try (Postgres postgres = Postgres.create()) {
            Store store = Store.postgres(postgres.createDatabase());
            store.update("CREATE TABLE kept (id int)");
            store.update("INSERT INTO kept VALUES (?)", 7);
            try (Connection open = store.connect();
                    Statement statement = open.createStatement()) {
                postgres.stop();
                assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).isInstanceOf(SQLException.class);
                assertThatThrownBy(store::connect).isInstanceOf(SQLException.class);
            }
            postgres.start();
            assertThat(store.column("SELECT id FROM kept")).containsExactly(7);
        }
    }

    @Test
    void database_fresh_isEmptyAndOwnedByNoSuperuser() {
        Store store = Store.postgres(Postgres.shared().createDatabase());
        assertThat(store.column("SELECT usesuper FROM pg_user WHERE usename = current_user"))
                .containsExactly(false);
        assertThat(store.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
                .isEmpty();
    }

    @Test
    void clock_advanced_addsUp() {
        Store store = Store.postgres(Postgres.shared().createDatabase());
        store.update("CREATE TABLE test_clock (id int PRIMARY KEY, shift_seconds double precision)");
        store.update("INSERT INTO test_clock VALUES (1, 0)");
        TestClock clock = new TestClock(store);
        clock.advance(Duration.ofMinutes(2));
        clock.advance(Duration.ofMillis(-500));
        assertThat(store.column("SELECT shift_seconds FROM test_clock")).containsExactly(119.5);
    }
}
