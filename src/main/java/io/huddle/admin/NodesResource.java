package io.huddle.admin;

import io.huddle.membership.Membership;
import io.huddle.membership.NodeInfo;
import io.huddle.mesh.Nodes;
import io.huddle.security.Caller;
import io.huddle.security.Callers;
import io.huddle.security.OperatorActed;
import io.huddle.security.Role;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Reason;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The nodes of the mesh, told by any of them. Callers: operators, for a drain with a reason. */
@Path("/admin/nodes")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class NodesResource {
    @Inject
    private Nodes nodes;

    @Inject
    private Membership membership;

    @Inject
    private Callers callers;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /**
     * A live node, as it says of itself every second.
     *
     * @param node its number, as in the list of clients; another after a restart, or after it was cut off from Redis
     * @param process the same for one start of the node
     * @param name its host
     * @param address where other nodes reach it; missing without links
     * @param version of the release it runs; missing if it is too old to say
     * @param state {@code starting}, {@code ready}, {@code draining}, {@code stopped} or {@code failed}
     * @param drained true once it drains and nothing of it is left
     * @param streams of clients
     * @param leaseRemainingMs on the mesh's clock; missing while the node that answers cannot tell that time
     * @param since when the process joined first
     */
    public record NodeJson(
            String node,
            String process,
            String name,
            @Nullable String address,
            @Nullable String version,
            String state,
            boolean drained,
            int streams,
            @Nullable Long leaseRemainingMs,
            Instant since) {

        static NodeJson of(NodeInfo node, OptionalLong now) {
            return new NodeJson(
                    Long.toString(node.number()),
                    node.process(),
                    node.name(),
                    orNull(node.linkUrl()),
                    orNull(node.state().version()),
                    node.state().lifecycle(),
                    node.state().isDrained(),
                    node.state().streams(),
                    now.isPresent() ? Math.max(0, node.leaseUntil() - now.getAsLong()) : null,
                    Instant.ofEpochMilli(node.startedAt()));
        }

        private static @Nullable String orNull(String text) {
            return text.isEmpty() ? null : text;
        }
    }

    /** All live nodes, each process once, the oldest number first. */
    public record NodesJson(List<NodeJson> items) {}

    @GET
    public NodesJson list() {
        callers.current().need(Role.OPERATOR);
        List<NodeInfo> live = nodes.list();
        OptionalLong now = membership.storeMs();
        return new NodesJson(live.stream().map(node -> NodeJson.of(node, now)).toList());
    }

    /**
     * Sends the clients of a node elsewhere. The mesh and the audit have no transaction in common: the line is written first,
     * so that there is no deed without one. A node that drains already is left as it is, and that leaves no line.
     */
    @POST
    @Path("/{node}/drain")
    public void drain(@PathParam("node") String node, @HeaderParam("Huddle-Reason") @Nullable String header)
            throws SQLException {
        Caller operator = callers.current();
        operator.need(Role.OPERATOR);
        String reason = Reason.need(header);
        NodeInfo found = nodes.find(node);
        if (Nodes.isDraining(found)) {
            return;
        }
        acted.fire(OperatorActed.onTarget(operator.subject(), "node.drain", reason, node, clock.read()));
        nodes.drain(found);
    }
}
