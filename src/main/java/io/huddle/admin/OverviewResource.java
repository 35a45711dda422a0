package io.huddle.admin;

import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.EntityTags;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How everything stands. Callers: operators. */
@Path("/admin/overview")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OverviewResource {
    @Inject
    private Overview overview;

    @Inject
    private Callers callers;

    @GET
    public Response read(@HeaderParam(HttpHeaders.IF_NONE_MATCH) @Nullable String known) throws SQLException {
        callers.current().need(Role.OPERATOR);
        Overview.OverviewJson figures = overview.read();
        EntityTag tag = new EntityTag(figures.etag(), true);
        return (EntityTags.matches(known, figures.etag()) ? Response.notModified() : Response.ok(figures))
                .tag(tag)
                .build();
    }
}
