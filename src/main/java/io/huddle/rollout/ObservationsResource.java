package io.huddle.rollout;

import io.huddle.room.RoomJson;
import io.huddle.room.RoomState;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;

/** Takes in what a media server or an older roster sees of a room. Callers: integrators of its team. */
@Path("/rooms/{room}/observations")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class ObservationsResource {
    @Inject
    private Observations observations;

    @Inject
    private Rooms rooms;

    @Inject
    private Callers callers;

    @POST
    public void tell(@PathParam("room") String room, RequestBody body) throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.INTEGRATOR);
        Observation observation = Observation.read(body);
        // Seen before it is judged: a room of another team does not exist.
        RoomJson seen = rooms.read(caller, room);
        if (!caller.actsIn(seen.team())) {
            throw new Refused(Refusal.FORBIDDEN, "only an integrator of the room's team tells what it observes");
        }
        // Whoever feeds need not know that a room has closed meanwhile.
        if (seen.state().equals(RoomState.OPEN.wire())) {
            observations.keep(room, observation);
        }
    }
}
