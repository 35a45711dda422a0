package io.huddle.drift;

import io.huddle.drift.Messages.Claimed;
import io.huddle.store.Database;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is still to be told to the webhook. Whoever claims a message has it alone for a while; a node that dies with it
 * leaves it to another, which sends it again under the same id. Safe for use by any thread.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Outbox {
    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    /**
     * Takes the next message that is due; null if none is.
     *
     * @param alone for how long no other node tries it
     */
    @Nullable
    Claimed claim(Duration alone) throws SQLException {
        Instant now = clock.read();
        try (Connection connection = database.connection()) {
            return new Messages(connection).claim(now, alone);
        }
    }

    /** Writes down what came of a try. */
    void settle(Claimed message, Settlement settlement) throws SQLException {
        Instant now = clock.read();
        try (Connection connection = database.connection()) {
            Messages messages = new Messages(connection);
            if (settlement == Settlement.RETRIED) {
                messages.later(message, now.plus(Settlement.pause(message.tries())));
            } else {
                messages.done(message, settlement, now);
            }
        }
    }
}
