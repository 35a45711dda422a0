package io.huddle.admin;

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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators did, and why they said they did it. Callers: operators. */
@Path("/admin/audit")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class AuditResource {
    @Inject
    private AuditTrail trail;

    @Inject
    private Callers callers;

    /** A page of the audit; {@code next} leads to the following one and is missing on the last. */
    public record AuditPage(
            List<AuditTrail.AuditLine> items, @Nullable String next) {}

    @GET
    public AuditPage find(
            @QueryParam("q") @Nullable String text,
            @QueryParam("actor") @Nullable String actor,
            @QueryParam("action") @Nullable String action,
            @QueryParam("room") @Nullable String room,
            @QueryParam("session") @Nullable String session,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        AuditTrail.Wanted wanted = new AuditTrail.Wanted(
                Page.filter("q", text == null || text.isEmpty() ? null : text),
                Page.filter("actor", actor),
                Page.filter("action", action),
                Page.filter("room", room),
                Page.filter("session", session));
        List<AuditTrail.AuditLine> lines = trail.find(wanted, Cursor.parse(cursor), size + 1);
        if (lines.size() <= size) {
            return new AuditPage(lines, null);
        }
        AuditTrail.AuditLine last = lines.get(size - 1);
        return new AuditPage(lines.subList(0, size), new Cursor(last.at(), last.id()).text());
    }
}
