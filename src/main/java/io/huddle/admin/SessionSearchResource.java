package io.huddle.admin;

import io.huddle.presence.SessionState;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Cursor;
import io.huddle.web.Page;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All sessions that are kept, to be searched. Callers: operators. */
@Path("/admin/sessions")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class SessionSearchResource {
    private static final List<String> STATES =
            Arrays.stream(SessionState.values()).map(SessionState::wire).toList();

    @Inject
    private SessionSearch search;

    @Inject
    private Callers callers;

    /** A page of sessions; {@code next} leads to the following one and is missing on the last. */
    public record FoundSessionPage(
            List<SessionSearch.FoundSession> items,
            @Nullable String next,
            Instant asOf) {}

    @GET
    public FoundSessionPage find(
            @QueryParam("state") @Nullable String state,
            @QueryParam("q") @Nullable String text,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        Caller operator = callers.current();
        operator.need(Role.OPERATOR);
        int size = Page.size(limit);
        SessionSearch.Wanted wanted = new SessionSearch.Wanted(
                Page.filter("q", text == null || text.isEmpty() ? null : text), Where.oneOf("state", state, STATES));
        SessionSearch.Found found = search.find(operator, wanted, Cursor.parse(cursor), size + 1);
        List<SessionSearch.FoundSession> sessions = found.sessions();
        if (sessions.size() <= size) {
            return new FoundSessionPage(sessions, null, found.asOf());
        }
        SessionSearch.FoundSession last = sessions.get(size - 1);
        return new FoundSessionPage(
                sessions.subList(0, size), new Cursor(last.joinedAt(), last.session()).text(), found.asOf());
    }
}
