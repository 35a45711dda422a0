package io.huddle.security;

import io.huddle.store.Database;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/**
 * Makes the keys of a benchmark's clients at once, all with one secret, sealed as any other, integrators of one team: {@code POST
 * /bench/keys?count=&secret=} for {@code c-bench0} and so on.
 */
@WebServlet("/bench/keys")
public class KeysBench extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient Database database;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int count = Integer.parseInt(request.getParameter("count"));
        SecretSeal seal = Objects.requireNonNull(SecretSeal.configured(), "the node needs " + SecretSeal.SETTING);
        try (Connection connection = database.connection();
                Statement clear = connection.createStatement();
                PreparedStatement key = connection.prepareStatement(
                        "INSERT INTO client_key VALUES (?, 'integrator', CURRENT_TIMESTAMP, 'bench')");
                PreparedStatement secret = connection.prepareStatement(
                        "INSERT INTO client_secret VALUES (?, ?, 1, ?, CURRENT_TIMESTAMP, 'bench')");
                PreparedStatement team = connection.prepareStatement("INSERT INTO client_team VALUES (?, 'bench')")) {
            clear.execute("DELETE FROM client_team WHERE team = 'bench'");
            clear.execute("DELETE FROM client_secret WHERE created_by = 'bench'");
            clear.execute("DELETE FROM client_key WHERE created_by = 'bench'");
            for (int i = 0; i < count; i++) {
                String client = "c-bench" + i;
                key.setString(1, client);
                key.addBatch();
                secret.setString(1, "k-bench" + i);
                secret.setString(2, client);
                secret.setString(3, seal.seal(client, request.getParameter("secret")));
                secret.addBatch();
                team.setString(1, client);
                team.addBatch();
                if (i % 500 == 499 || i == count - 1) {
                    key.executeBatch();
                    secret.executeBatch();
                    team.executeBatch();
                }
            }
        } catch (SQLException failed) {
            throw new IOException(failed);
        }
    }
}
