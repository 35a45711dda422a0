package io.huddle.admin;

import io.huddle.mesh.Orphans;
import io.huddle.registry.OrphanAccount;
import io.huddle.registry.OrphanChunk;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.OperatorActed;
import io.huddle.security.Role;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Page;
import io.huddle.web.Reason;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The clients that dead nodes left behind and that wait to be told of. Callers: operators, for a retry with a reason.
 */
@Path("/admin/orphans")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OrphansResource {
    /** What a chunk's id may look like; the audit keeps no more. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    @Inject
    private Orphans orphans;

    @Inject
    private Callers callers;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /**
     * A chunk of clients of one dead node.
     *
     * @param node the dead node's number
     * @param clients how many
     * @param ageSeconds how long it has waited, on the registry's clock
     * @param setAside true once its tries are used up: nobody delivers it before it is retried
     */
    public record OrphanJson(
            String id, long node, int clients, long bytes, int tries, long ageSeconds, boolean setAside) {}

    /**
     * What waits on all nodes together, and some of it.
     *
     * @param items chunks that wait or are being delivered
     * @param bytes of those
     * @param oldestSeconds how long the oldest of those has waited
     * @param setAside chunks whose tries are used up
     * @param redeliveries deliveries after the first since the registry began
     */
    public record OrphansJson(
            long items, long bytes, long oldestSeconds, long setAside, long redeliveries, List<OrphanJson> chunks) {}

    @GET
    public OrphansJson list(@QueryParam("limit") @Nullable String limit) {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        List<OrphanChunk> chunks = orphans.list(size);
        OrphanAccount account = orphans.account();
        return new OrphansJson(
                account.items(),
                account.bytes(),
                account.oldest() == 0 ? 0 : seconds(account.oldest(), account.now()),
                account.deadLetters(),
                account.redeliveries(),
                chunks.stream().map(chunk -> json(chunk, account.now())).toList());
    }

    /**
     * Gives a chunk that was set aside its tries back. The registry and the audit have no transaction in common: the line
     * is written first, so that there is no deed without one.
     */
    @POST
    @Path("/{orphan}/retry")
    public void retry(@PathParam("orphan") String orphan, @HeaderParam("Huddle-Reason") @Nullable String header)
            throws SQLException {
        Caller operator = callers.current();
        operator.need(Role.OPERATOR);
        String reason = Reason.need(header);
        if (!ID.matcher(orphan).matches() || orphans.account().deadLetters() == 0) {
            throw notFound();
        }
        acted.fire(OperatorActed.onTarget(operator.subject(), "orphan.retry", reason, orphan, clock.read()));
        if (!orphans.retry(orphan)) {
            throw notFound();
        }
    }

    private static Refused notFound() {
        return new Refused(
                Refusal.NOT_FOUND, "no chunk that was set aside has this id, or the queue has no room for it yet");
    }

    private static OrphanJson json(OrphanChunk chunk, long now) {
        return new OrphanJson(
                chunk.id(),
                chunk.node(),
                chunk.clients().size(),
                chunk.bytes(),
                chunk.tries(),
                seconds(chunk.since(), now),
                chunk.setAside());
    }

    private static long seconds(long from, long to) {
        return Math.max(0, to - from) / 1_000;
    }
}
