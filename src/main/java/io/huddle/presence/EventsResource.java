package io.huddle.presence;

import io.huddle.event.EventMetrics;
import io.huddle.event.Events;
import io.huddle.event.Feed;
import io.huddle.room.RoomJson;
import io.huddle.room.Rooms;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Page;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The events of a room, by query or live. Callers: participants and integrators of its team, operators. */
@Path("/rooms/{room}/events")
@ApplicationScoped
public class EventsResource {
    @Inject
    private Rooms rooms;

    @Inject
    private Events events;

    @Inject
    private Rosters rosters;

    @Inject
    private EventReader reader;

    @Inject
    private Feed feed;

    @Inject
    private EventMetrics metrics;

    @Inject
    private Callers callers;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public EventsJson after(
            @PathParam("room") String id,
            @QueryParam("after") @Nullable String after,
            @QueryParam("limit") @Nullable String limit)
            throws SQLException {
        RoomJson room = see(id);
        long from = number("after", after);
        int size = Page.size(limit);
        Events.Slice slice = events.after(room.id(), from, size);
        if (slice.isMissing(from, room.seq())) {
            RosterJson snapshot = rosters.snapshot(room.id());
            return new EventsJson(java.util.List.of(), snapshot.seq(), snapshot);
        }
        long next = slice.items().isEmpty()
                ? from
                : slice.items().get(slice.items().size() - 1).seq();
        return new EventsJson(slice.items(), next, null);
    }

    /** The same, live. The stream ends when the caller's token does. */
    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    public void follow(
            @PathParam("room") String id,
            @QueryParam("after") @Nullable String after,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Context SseEventSink sink,
            @Context Sse sse)
            throws SQLException {
        RoomJson room = see(id);
        long from = lastEventId != null ? number("Last-Event-ID", lastEventId) : number("after", after);
        LiveEvents live = new LiveEvents(room.id(), from, callers.current().expires(), sink, sse, reader, metrics);
        live.start(feed, scheduler);
    }

    private RoomJson see(String id) throws SQLException {
        Caller caller = callers.current();
        caller.need(Role.values());
        RoomJson room = rooms.read(caller, id);
        rosters.followed(caller, room);
        return room;
    }

    private static long number(String name, @Nullable String text) {
        return text == null || text.isEmpty() ? 0 : Page.number(name, text, 0, Long.MAX_VALUE - 1);
    }
}
