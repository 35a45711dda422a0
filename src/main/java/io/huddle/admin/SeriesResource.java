package io.huddle.admin;

import io.huddle.presence.Chart;
import io.huddle.presence.Chronicle;
import io.huddle.security.Callers;
import io.huddle.security.Role;
import io.huddle.web.Page;
import io.huddle.web.Refused;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the console's charts draw of the last hour. Callers: operators. */
@Path("/admin/series")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class SeriesResource {
    private static final int MINUTES = (int) Chronicle.LENGTH.toMinutes();

    @Inject
    private Chronicle chronicle;

    @Inject
    private Callers callers;

    /**
     * A chart.
     *
     * @param scope {@code cluster} if every node says the same, {@code node} if it is this node's alone
     * @param stepSeconds between one time and the next
     * @param times the beginnings of the steps
     */
    public record SeriesJson(
            String metric, String unit, String scope, int stepSeconds, List<Instant> times, List<LineJson> lines) {}

    /** @param values one for each of the times; null where nothing is known */
    public record LineJson(String name, List<@Nullable Double> values) {}

    @GET
    public SeriesJson read(
            @QueryParam("metric") @Nullable String metric, @QueryParam("minutes") @Nullable String minutes) {
        callers.current().need(Role.OPERATOR);
        Chart chart = chart(metric);
        int last = minutes == null ? MINUTES : (int) Page.number("minutes", minutes, 1, MINUTES);
        Chronicle.Drawing drawing = chronicle.draw(chart, last);
        return new SeriesJson(
                chart.wire(),
                chart.unit(),
                chart.isOfTheCluster() ? "cluster" : "node",
                (int) chart.step().toSeconds(),
                drawing.times(),
                drawing.lines().entrySet().stream()
                        .map(line -> new LineJson(line.getKey(), line.getValue()))
                        .toList());
    }

    private static Chart chart(@Nullable String metric) {
        return Arrays.stream(Chart.values())
                .filter(chart -> chart.wire().equals(metric))
                .findFirst()
                .orElseThrow(() -> Refused.invalid("metric must be one of "
                        + Stream.of(Chart.values()).map(Chart::wire).collect(Collectors.joining(", "))));
    }
}
