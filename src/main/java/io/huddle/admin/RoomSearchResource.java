package io.huddle.admin;

import io.huddle.room.RoomState;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Cursor;
import io.huddle.web.Page;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All rooms that are kept, to be searched, and one of them from close by. Callers: operators. */
@Path("/admin/rooms")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class RoomSearchResource {
    private static final List<String> STATES =
            Arrays.stream(RoomState.values()).map(RoomState::wire).toList();
    private static final List<String> DRIFT = List.of(
            RoomSearch.ANY_DRIFT, "leases_without_media", "media_without_lease", "suspect_pile_up", "rejections");
    private static final long OLDEST_MINUTES = 525_600;

    @Inject
    private RoomSearch search;

    @Inject
    private RoomViews views;

    @Inject
    private Callers callers;

    /** The filters, as they came. */
    public static class Filters {
        @QueryParam("q")
        private @Nullable String text;

        @QueryParam("state")
        private @Nullable String state;

        @QueryParam("team")
        private @Nullable String team;

        @QueryParam("drift")
        private @Nullable String drift;

        @QueryParam("age")
        private @Nullable String age;

        @QueryParam("synthetic")
        private @Nullable String synthetic;

        RoomSearch.Wanted wanted() {
            return new RoomSearch.Wanted(
                    Page.filter("q", text == null || text.isEmpty() ? null : text),
                    Where.oneOf("state", state, STATES),
                    Page.filter("team", team),
                    Where.oneOf("drift", drift, DRIFT),
                    Where.flag("synthetic", synthetic),
                    age == null ? null : Duration.ofMinutes(Page.number("age", age, 0, OLDEST_MINUTES)));
        }
    }

    /** A page of rooms; {@code next} leads to the following one and is missing on the last. */
    public record FoundRoomPage(
            List<RoomSearch.FoundRoom> items, @Nullable String next, Instant asOf) {}

    @GET
    public FoundRoomPage find(
            @BeanParam Filters filters,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        RoomSearch.Found found = search.find(filters.wanted(), Cursor.parse(cursor), size + 1);
        List<RoomSearch.FoundRoom> rooms = found.rooms();
        if (rooms.size() <= size) {
            return new FoundRoomPage(rooms, null, found.asOf());
        }
        RoomSearch.FoundRoom last = rooms.get(size - 1);
        return new FoundRoomPage(rooms.subList(0, size), new Cursor(last.createdAt(), last.id()).text(), found.asOf());
    }

    /** @param before only events with a smaller number: the {@code next} of the answer before */
    @GET
    @Path("/{room}")
    public RoomViews.RoomView read(
            @PathParam("room") String room,
            @QueryParam("before") @Nullable String before,
            @QueryParam("limit") @Nullable String limit)
            throws SQLException {
        Caller operator = callers.current();
        operator.need(Role.OPERATOR);
        long number = before == null ? Long.MAX_VALUE : Page.number("before", before, 1, Long.MAX_VALUE);
        return views.read(operator, room, number, Page.size(limit));
    }
}
