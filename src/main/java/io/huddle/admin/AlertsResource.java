package io.huddle.admin;

import io.huddle.drift.AlertJson;
import io.huddle.drift.Alerts;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Cursor;
import io.huddle.web.Page;
import io.huddle.web.Refused;
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

/** The alerts, open and closed. They open and close by themselves; there is nothing to change. Callers: operators. */
@Path("/admin/alerts")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class AlertsResource {
    @Inject
    private Alerts alerts;

    @Inject
    private Callers callers;

    /** A page of alerts; {@code next} leads to the following one and is missing on the last. */
    public record AlertPage(List<AlertJson> items, @Nullable String next) {}

    @GET
    public AlertPage list(
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        List<AlertJson> found = alerts.list(isOpen(state), Cursor.parse(cursor), size + 1);
        if (found.size() <= size) {
            return new AlertPage(found, null);
        }
        AlertJson last = found.get(size - 1);
        return new AlertPage(found.subList(0, size), new Cursor(last.openedAt(), last.id()).text());
    }

    private static @Nullable Boolean isOpen(@Nullable String state) {
        if (state == null) {
            return null;
        }
        return switch (state) {
            case "open" -> true;
            case "closed" -> false;
            default -> throw Refused.invalid("state must be open or closed");
        };
    }
}
