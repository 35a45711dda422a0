package io.huddle.presence;

import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.EntityTags;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Who is in a room. Callers: participants and integrators of its team, operators. */
@Path("/rooms/{room}/roster")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class RosterResource {
    @Inject
    private Rosters rosters;

    @Inject
    private Callers callers;

    @GET
    public Response read(@PathParam("room") String room, @HeaderParam(HttpHeaders.IF_NONE_MATCH) @Nullable String known)
            throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        RosterJson roster = rosters.read(caller, room);
        EntityTag tag = new EntityTag(roster.etag(), true);
        return (EntityTags.matches(known, roster.etag()) ? Response.notModified() : Response.ok(roster))
                .tag(tag)
                .build();
    }
}
