package io.huddle.drift;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

class H2JudgementTest extends JudgementRules {
    private static final String URL = "jdbc:h2:mem:judgement;DB_CLOSE_DELAY=-1";

    @BeforeAll
    static void schema() {
        migrate(URL, "huddle", "huddle");
    }

    @Override
    Connection connect() throws SQLException {
        return DriverManager.getConnection(URL, "huddle", "huddle");
    }
}
