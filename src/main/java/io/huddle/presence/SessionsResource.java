package io.huddle.presence;

import io.huddle.presence.Places.Place;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.PublicUrl;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Join, renew, suspend, report, leave. Callers: participants for themselves, integrators for every participant of their
 * teams; operators not at all.
 */
@Path("/rooms/{room}/sessions")
@ApplicationScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class SessionsResource {
    @Inject
    private Sessions sessions;

    @Inject
    private Renewals renewals;

    @Inject
    private Rooms rooms;

    @Inject
    private Places places;

    @Inject
    private Callers callers;

    @Inject
    private SessionRates rates;

    @POST
    @Consumes(MediaType.WILDCARD)
    public Response join(
            @PathParam("room") String room,
            @HeaderParam("Idempotency-Key") @Nullable String header,
            @Context UriInfo uri,
            RequestBody body)
            throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        IdempotencyKey key = IdempotencyKey.parse(header);
        String named = body.optionalText("participant", Text.ID_LENGTH);
        body.end();
        String participant = named == null ? caller.subject() : Text.participant("participant", named);
        // Seen before it is judged: a room of another team does not exist, whoever is named.
        if (!caller.actsIn(rooms.read(caller, room).team())) {
            throw new Refused(Refusal.FORBIDDEN, "an operator sees rooms but does not join them");
        }
        if (!caller.actsFor(participant)) {
            throw new Refused(Refusal.FORBIDDEN, "only an integrator may name another participant than itself");
        }
        MembershipJson membership = sessions.join(caller, room, participant, key, PublicUrl.stream(uri));
        return Response.status(membership.generation() == 1 ? Response.Status.CREATED : Response.Status.OK)
                .entity(membership)
                .build();
    }

    @PUT
    @Path("/{session}/lease")
    public CompletionStage<Renewal> renew(
            @PathParam("room") String room, @PathParam("session") String session, RequestBody body)
            throws SQLException {
        long generation = Generation.read(body);
        Long counter = Generation.counter(body);
        body.end();
        Place place = ownOrCount(room, session);
        rates.renewal(place.session());
        return renewals.renew(place, generation, counter);
    }

    @POST
    @Path("/{session}/suspend")
    public Renewal suspend(@PathParam("room") String room, @PathParam("session") String session, RequestBody body)
            throws SQLException {
        long generation = Generation.read(body);
        Long counter = Generation.counter(body);
        body.end();
        own(room, session);
        return Renewal.of(sessions.suspend(room, session, generation, counter));
    }

    @POST
    @Path("/{session}/media")
    public void report(@PathParam("room") String room, @PathParam("session") String session, RequestBody body)
            throws SQLException {
        MediaReport report = MediaReport.read(body);
        own(room, session);
        sessions.media(room, session, report);
    }

    @DELETE
    @Path("/{session}")
    @Consumes(MediaType.WILDCARD)
    public void leave(
            @PathParam("room") String room,
            @PathParam("session") String session,
            @QueryParam("generation") @Nullable String generation)
            throws SQLException {
        long which = Generation.parse(generation);
        own(room, session);
        sessions.leave(room, session, which);
    }

    /** Renewals do not count as requests; guesses at other people's sessions do. */
    private Place ownOrCount(String room, String session) throws SQLException {
        try {
            return own(room, session);
        } catch (Refused refused) {
            rates.guess(callers.current().subject());
            throw refused;
        }
    }

    private Place own(String room, String session) throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        return places.own(caller, room, session);
    }
}
