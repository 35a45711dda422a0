package io.huddle.admin;

import io.huddle.rollout.Scope;
import io.huddle.rollout.Stage;
import io.huddle.rollout.Stages;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Reason;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rollout stage of the deployment and of teams. Callers: operators, for every change with a reason. */
@Path("/admin/stages")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class StagesResource {
    private static final int STAGE_LENGTH = 20;

    @Inject
    private Stages stages;

    @Inject
    private Callers callers;

    /**
     * A stage that was set.
     *
     * @param changedBy missing for the one a deployment begins with
     */
    public record StageJson(
            String scope,
            String stage,
            Instant changedAt,
            @Nullable String changedBy) {
        static StageJson of(Stages.Choice choice) {
            return new StageJson(
                    choice.scope().text(),
                    choice.stage().wire(),
                    choice.changedAt(),
                    choice.changedBy().isEmpty() ? null : choice.changedBy());
        }
    }

    /** The deployment's and those of the teams that have one of their own. */
    public record StageList(List<StageJson> items) {}

    @GET
    public StageList list() throws SQLException {
        callers.current().need(Role.OPERATOR);
        return new StageList(stages.list().stream().map(StageJson::of).toList());
    }

    @PUT
    @Path("/{scope}")
    public StageJson set(
            @PathParam("scope") String scope, @HeaderParam("Huddle-Reason") @Nullable String header, RequestBody body)
            throws SQLException {
        Caller operator = operator();
        String reason = Reason.need(header);
        Stage stage = Stage.named(body.text("stage", STAGE_LENGTH))
                .orElseThrow(() -> Refused.invalid("stage must be shadow, fencing, leases or alerting"));
        body.end();
        return StageJson.of(stages.set(operator, Scope.parse(scope), stage, reason));
    }

    /** The team has no stage of its own any more; the deployment's applies. */
    @DELETE
    @Path("/{scope}")
    @Consumes(MediaType.WILDCARD)
    public void takeBack(@PathParam("scope") String scope, @HeaderParam("Huddle-Reason") @Nullable String header)
            throws SQLException {
        Caller operator = operator();
        stages.takeBack(operator, Scope.parse(scope), Reason.need(header));
    }

    private Caller operator() {
        Caller caller = callers.current();
        caller.need(Role.OPERATOR);
        return caller;
    }
}
