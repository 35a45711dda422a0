package io.huddle.mesh;

import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.setting.Setting;
import io.huddle.stream.StreamError;
import io.huddle.web.BodyBytes;
import io.huddle.web.Causes;
import io.huddle.web.Page;
import io.huddle.web.Problem;
import io.huddle.web.Reason;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The connected clients of all nodes. Callers: integrators see, invoke and update those of their teams; operators see all
 * and disconnect, with a reason.
 *
 * <p>Answers are written on the server's threads and not on those that bring them: a caller that reads slowly holds up no
 * link and no registry.
 */
@Path("/clients")
@ApplicationScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class ClientsResource {
    private static final Reach EVERYBODY = new Reach(true, Set.of());

    /** For what has no deadline of its caller's: two tries over a slow link. */
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    @Inject
    private Clients clients;

    @Inject
    private Disconnections disconnections;

    @Inject
    private Callers callers;

    @Resource
    private ManagedExecutorService executor;

    @GET
    public CompletionStage<Response> list(
            @QueryParam("node") @Nullable String node,
            @QueryParam("limit") @Nullable String limit,
            @QueryParam("cursor") @Nullable String cursor) {
        Reach reach = sight();
        Long number = node == null ? null : Page.number("node", node, 0, Long.MAX_VALUE);
        int size = Page.size(limit);
        return answer(
                clients.list(reach, number, cursor == null ? "" : cursor, size),
                found -> ClientJson.Page.of(found).text());
    }

    @GET
    @Path("/{client}")
    public CompletionStage<Response> read(@PathParam("client") String client) {
        Reach reach = sight();
        return answer(clients.get(reach, client), found -> ClientJson.of(found).text());
    }

    @POST
    @Path("/{client}/invoke")
    public CompletionStage<Response> invoke(@PathParam("client") String client, RequestBody body) {
        Reach reach = command();
        String type = Text.checked("type", body.text("type", ClientMethods.LONGEST_TYPE), ClientMethods.LONGEST_TYPE);
        String data = body.any("data").toString();
        Long timeout = body.optionalNumber("timeoutMs", 1, ClientMethods.LONGEST_TIMEOUT_MS);
        body.end();
        Duration deadline = Duration.ofMillis(timeout == null ? ClientMethods.DEFAULT_TIMEOUT_MS : timeout);
        return answer(clients.invoke(reach, client, type, data, deadline), answer -> "{\"data\":" + answer + "}");
    }

    @PATCH
    @Path("/{client}/metadata")
    public CompletionStage<Response> patch(
            @PathParam("client") String client, @BodyBytes(Setting.METADATA_BODY_BYTES) RequestBody body) {
        Reach reach = command();
        JsonObject patch = body.all();
        return answer(
                clients.patchMetadata(reach, client, patch, DEADLINE),
                found -> ClientJson.of(found).text());
    }

    @DELETE
    @Path("/{client}")
    @Consumes(MediaType.WILDCARD)
    public CompletionStage<Void> disconnect(
            @PathParam("client") String client, @HeaderParam("Huddle-Reason") @Nullable String header) {
        Caller operator = callers.current();
        operator.need(Role.OPERATOR);
        String reason = Reason.need(header);
        // Looked up first: what is not there leaves no line in the audit. The line is written as part of this
        // application,
        // which the copy brings along: threads that read from Redis know nothing of it.
        return executor.copy(clients.get(EVERYBODY, client))
                .thenAcceptAsync(found -> record(operator, client, reason), executor)
                .thenCompose(recorded -> clients.disconnect(client, DEADLINE))
                .whenCompleteAsync((done, failed) -> {}, executor);
    }

    private void record(Caller operator, String client, String reason) {
        try {
            disconnections.record(operator, client, reason);
        } catch (SQLException failed) {
            throw new CompletionException(failed);
        }
    }

    /**
     * What was known at once is answered by the request's own thread: if another one answers before that has let go, the
     * platform logs the answer as a failure of the server.
     */
    private <T> CompletionStage<Response> answer(CompletionStage<T> asked, Function<T, String> json) {
        BiFunction<T, @Nullable Throwable, Response> write = (found, failed) ->
                failed == null ? Response.ok(json.apply(found)).build() : refused(failed);
        CompletableFuture<T> future = asked.toCompletableFuture();
        return future.isDone() ? future.handle(write) : future.handleAsync(write, executor);
    }

    /** A client's own error has its flag. A defect is left to whoever logs them. */
    private static Response refused(Throwable failed) {
        Throwable cause = Causes.of(failed);
        if (cause instanceof Refused refused) {
            return Problem.response(refused.refusal(), refused.detail(), refused.members());
        }
        if (cause instanceof StreamError error) {
            return Problem.response(
                    Refusal.CLIENT_ERROR,
                    "The client took the call and answered with an error, whose text stays with the server.",
                    "userError",
                    error.isUserError());
        }
        throw cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }

    private Reach sight() {
        Caller caller = callers.current();
        caller.need(Role.INTEGRATOR, Role.OPERATOR);
        return caller.is(Role.OPERATOR) ? EVERYBODY : Reach.of(caller.teams());
    }

    private Reach command() {
        Caller caller = callers.current();
        caller.need(Role.INTEGRATOR);
        return Reach.of(caller.teams());
    }
}
