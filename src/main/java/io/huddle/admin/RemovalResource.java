package io.huddle.admin;

import io.huddle.presence.Removals;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Reason;
import io.huddle.web.RequestBody;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Ends exactly one generation of a session. Callers: operators, with a reason. */
@Path("/admin/sessions/{session}/remove")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class RemovalResource {
    @Inject
    private Removals removals;

    @Inject
    private Callers callers;

    @POST
    public void remove(
            @PathParam("session") String session,
            @HeaderParam("Huddle-Reason") @Nullable String header,
            RequestBody body)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        String reason = Reason.need(header);
        removals.remove(callers.current(), session, body, reason);
    }
}
