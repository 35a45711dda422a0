package io.huddle.admin;

import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.ClientKeyDeleted;
import io.huddle.security.ClientKeys;
import io.huddle.security.Role;
import io.huddle.web.Cursor;
import io.huddle.web.Page;
import io.huddle.web.PublicUrl;
import io.huddle.web.Reason;
import io.huddle.web.Refused;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
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
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys of service clients and devices. A secret is in the answer that makes it and in no other. Callers: operators,
 * for every change with a reason.
 */
@Path("/admin/clients/keys")
@RequestScoped
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class ClientKeysResource {
    private static final int MOST_ROLES = 2;
    private static final int MOST_TEAMS = 50;
    private static final int CLIENT_LENGTH = 128;

    @Inject
    private ClientKeys keys;

    @Inject
    private Callers callers;

    @Inject
    private Event<ClientKeyDeleted> deleted;

    @Context
    private UriInfo uri;

    /** A secret without itself: which ones are valid, and since when. */
    public record SecretJson(String id, Instant createdAt, String createdBy) {}

    /**
     * A client and what its key allows.
     *
     * @param secret only in the answer to the request that made it
     */
    public record ClientKeyJson(
            String client,
            List<String> roles,
            List<String> teams,
            Instant createdAt,
            String createdBy,
            List<SecretJson> secrets,
            @Nullable String secret) {
        static ClientKeyJson of(ClientKeys.Key key, @Nullable String secret) {
            return new ClientKeyJson(
                    key.client(),
                    key.roles().stream().map(Role::group).toList(),
                    List.copyOf(key.teams()),
                    key.createdAt(),
                    key.createdBy(),
                    key.secrets().stream()
                            .map(one -> new SecretJson(one.id(), one.createdAt(), one.createdBy()))
                            .toList(),
                    secret);
        }
    }

    /** A page of clients; {@code next} leads to the following one and is missing on the last. */
    public record ClientKeyPage(
            List<ClientKeyJson> items, @Nullable String next) {}

    @GET
    public ClientKeyPage list(
            @QueryParam("limit") @Nullable String limit, @QueryParam("cursor") @Nullable String cursor)
            throws SQLException {
        callers.current().need(Role.OPERATOR);
        int size = Page.size(limit);
        List<ClientKeyJson> found = keys.list(Cursor.parse(cursor), size + 1).stream()
                .map(key -> ClientKeyJson.of(key, null))
                .toList();
        if (found.size() <= size) {
            return new ClientKeyPage(found, null);
        }
        ClientKeyJson last = found.get(size - 1);
        return new ClientKeyPage(found.subList(0, size), new Cursor(last.createdAt(), last.client()).text());
    }

    @POST
    public Response create(@HeaderParam("Huddle-Reason") @Nullable String header, RequestBody body)
            throws SQLException {
        Caller operator = operator();
        String reason = Reason.need(header);
        String client = body.optionalText("client", CLIENT_LENGTH);
        Set<Role> roles = roles(body.texts("roles", MOST_ROLES, Text.ID_LENGTH));
        Set<String> teams = new TreeSet<>(body.texts("teams", MOST_TEAMS, Text.ID_LENGTH));
        body.end();
        if (client != null && !ClientKeys.isForm(client)) {
            throw Refused.invalid("client must be 'c-' and 1 to 126 of A-Z, a-z, 0-9, '.', '_' and '-'");
        }
        ClientKeys.Issued issued = keys.create(operator, client, roles, teams, reason);
        return Response.created(PublicUrl.of(
                        uri, "admin", "clients", "keys", issued.key().client()))
                .entity(ClientKeyJson.of(issued.key(), issued.secret()))
                .build();
    }

    @POST
    @Path("/{client}/rotate")
    @Consumes(MediaType.WILDCARD)
    public ClientKeyJson rotate(
            @PathParam("client") String client, @HeaderParam("Huddle-Reason") @Nullable String header)
            throws SQLException {
        Caller operator = operator();
        ClientKeys.Issued issued = keys.rotate(operator, client, Reason.need(header));
        return ClientKeyJson.of(issued.key(), issued.secret());
    }

    @DELETE
    @Path("/{client}")
    @Consumes(MediaType.WILDCARD)
    public void delete(@PathParam("client") String client, @HeaderParam("Huddle-Reason") @Nullable String header)
            throws SQLException {
        Caller operator = operator();
        keys.delete(operator, client, Reason.need(header));
        deleted.fire(new ClientKeyDeleted(client));
    }

    private Caller operator() {
        Caller caller = callers.current();
        caller.need(Role.OPERATOR);
        return caller;
    }

    private static Set<Role> roles(List<String> groups) {
        EnumSet<Role> roles = EnumSet.noneOf(Role.class);
        for (String group : groups) {
            if (group.equals(Role.PARTICIPANT.group())) {
                roles.add(Role.PARTICIPANT);
            } else if (group.equals(Role.INTEGRATOR.group())) {
                roles.add(Role.INTEGRATOR);
            } else {
                throw Refused.invalid("roles may name participant and integrator; no key acts as an operator");
            }
        }
        return roles;
    }
}
