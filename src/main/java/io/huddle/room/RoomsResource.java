package io.huddle.room;

import io.huddle.event.EventMetrics;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Cursor;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.Page;
import io.huddle.web.PublicUrl;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Create, read and list rooms. Callers: participants and integrators for their teams; operators read all. */
@Path("/rooms")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class RoomsResource {
    @Inject
    private Rooms rooms;

    @Inject
    private Callers callers;

    @Inject
    private EventMetrics metrics;

    @Context
    private UriInfo uri;

    /** A page of rooms; {@code next} leads to the following one and is missing on the last. */
    public record RoomPage(List<RoomJson> items, @Nullable String next) {}

    @POST
    public Response create(@HeaderParam("Idempotency-Key") @Nullable String header, RequestBody body)
            throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.PARTICIPANT, Role.INTEGRATOR);
        IdempotencyKey key = IdempotencyKey.parse(header);
        if (key == null) {
            throw new Refused(
                    Refusal.IDEMPOTENCY_KEY_MISSING, "send a fresh key, and the same key again when you retry");
        }
        Creation creation = Creation.read(body, caller.subject(), key);
        if (!caller.actsIn(creation.team())) {
            throw new Refused(Refusal.FORBIDDEN, "the token's teams do not include this team");
        }
        Rooms.Created created = create(creation);
        if (created.isReplay()) {
            return Response.ok(created.room())
                    .header("Idempotency-Replayed", "true")
                    .build();
        }
        return Response.created(PublicUrl.of(uri, "rooms", created.room().id()))
                .entity(created.room())
                .build();
    }

    private Rooms.Created create(Creation creation) throws SQLException {
        try {
            return rooms.create(creation);
        } catch (Refused refused) {
            metrics.rejected("create", refused.refusal().slug());
            throw refused;
        }
    }

    @GET
    @Path("/{room}")
    public RoomJson read(@PathParam("room") String room) {
        callers.current().need(Role.values());
        return rooms.read(callers.current(), room);
    }

    @GET
    public RoomPage list(
            @QueryParam("team") @Nullable String team,
            @QueryParam("occurrence") @Nullable String occurrence,
            @QueryParam("state") @Nullable String state,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        callers.current().need(Role.values());
        int size = Page.size(limit);
        List<RoomJson> found = rooms.list(
                callers.current(),
                Page.filter("team", team),
                Page.filter("occurrence", occurrence),
                state(state),
                Cursor.parse(cursor),
                size + 1);
        if (found.size() <= size) {
            return new RoomPage(found, null);
        }
        RoomJson last = found.get(size - 1);
        return new RoomPage(found.subList(0, size), new Cursor(last.createdAt(), last.id()).text());
    }

    private static @Nullable RoomState state(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return Arrays.stream(RoomState.values())
                .filter(state -> state.wire().equals(text))
                .findFirst()
                .orElseThrow(() -> Refused.invalid("state must be open, closing or closed"));
    }
}
