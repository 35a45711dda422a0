package io.huddle.presence;

import io.huddle.room.RoomJson;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Reason;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Closes a room. Callers: the participant who opened it, integrators of its team, operators with a reason. However often
 * it is called, the answer is the closed room.
 */
@Path("/rooms/{room}/close")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class ClosingResource {
    @Inject
    private Closings closings;

    @Inject
    private Closer closer;

    @Inject
    private Rooms rooms;

    @Inject
    private Callers callers;

    @POST
    public RoomJson close(@PathParam("room") String room, @HeaderParam("Huddle-Reason") @Nullable String reason)
            throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        closings.begin(caller, room, Reason.parse(reason));
        closer.finish(room);
        return rooms.read(caller, room);
    }
}
