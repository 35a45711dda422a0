package io.huddle.mesh;

import io.huddle.security.Caller;
import io.huddle.security.OperatorActed;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;

/**
 * The record of clients that operators disconnect. Safe for use by any thread.
 *
 * <p>The deed itself happens on another node perhaps, and in no transaction. So its line comes first: a line may stand for
 * a disconnection that then failed, as its caller was told, but there is no disconnection without a line.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Disconnections {
    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /** Notes that the operator is about to disconnect the client. */
    @Retried
    public void record(Caller operator, String client, String reason) throws SQLException {
        acted.fire(OperatorActed.onClient(operator.subject(), "client.disconnect", reason, client, clock.read()));
    }
}
