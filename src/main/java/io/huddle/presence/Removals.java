package io.huddle.presence;

import io.huddle.security.Caller;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;

/** The removal of a session by an operator, as the console's side calls it. Safe for use by any thread. */
@ApplicationScoped
public class Removals {
    @Inject
    private Places places;

    @Inject
    private Sessions sessions;

    /**
     * Ends the generation that the body names.
     *
     * @throws Refused {@code invalid-request}, {@code session-not-found}, {@code stale-generation}, {@code lease-expired},
     *     {@code session-ended}, or that the room is not open
     */
    public void remove(Caller operator, String session, RequestBody body, String reason) throws SQLException {
        long generation = Generation.read(body);
        body.end();
        Places.Place place = places.find(session);
        if (place == null) {
            throw Places.notFound();
        }
        sessions.remove(operator, place.room(), session, generation, reason);
    }
}
