package io.huddle.presence;

import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;

/** Who is in a room. Callers: participants and integrators of its team, operators. */
@Path("/rooms/{room}/roster")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class RosterResource {
    @Inject
    private Rosters rosters;

    @Inject
    private Callers callers;

    @Context
    private Request request;

    @GET
    public Response read(@PathParam("room") String room) throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        RosterJson roster = rosters.read(caller, room);
        EntityTag tag = new EntityTag(roster.etag(), true);
        Response.ResponseBuilder unchanged = request.evaluatePreconditions(tag);
        return unchanged != null
                ? unchanged.tag(tag).build()
                : Response.ok(roster).tag(tag).build();
    }
}
