package io.huddle.admin;

import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.shadow.MismatchKind;
import io.huddle.shadow.Mismatches;
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
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where the roster that is shown and the one by leases differ. Callers: operators. */
@Path("/admin/mismatches")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class MismatchesResource {
    @Inject
    private Mismatches mismatches;

    @Inject
    private Callers callers;

    /**
     * A page of mismatches, newest first; {@code next} leads to the following one and is missing on the last.
     *
     * @param sums by kind, of all that the filter lets through and not of this page alone
     */
    public record MismatchPage(
            List<Mismatches.Mismatch> items,
            List<Mismatches.Sum> sums,
            @Nullable String next) {}

    @GET
    public MismatchPage list(
            @QueryParam("kind") @Nullable String kind,
            @QueryParam("team") @Nullable String team,
            @QueryParam("open") @Nullable String open,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        Mismatches.Filter filter = new Mismatches.Filter(kind(kind), Page.filter("team", team), open(open));
        List<Mismatches.Mismatch> found = mismatches.list(filter, Cursor.parse(cursor), size + 1);
        List<Mismatches.Sum> sums = mismatches.sums(filter);
        if (found.size() <= size) {
            return new MismatchPage(found, sums, null);
        }
        Mismatches.Mismatch last = found.get(size - 1);
        return new MismatchPage(found.subList(0, size), sums, new Cursor(last.since(), last.id()).text());
    }

    private static @Nullable MismatchKind kind(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return MismatchKind.named(text)
                .orElseThrow(() -> Refused.invalid("kind must be one of "
                        + Arrays.stream(MismatchKind.values())
                                .map(MismatchKind::wire)
                                .collect(Collectors.joining(", "))));
    }

    private static @Nullable Boolean open(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return switch (text) {
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            default -> throw Refused.invalid("open must be true or false");
        };
    }
}
