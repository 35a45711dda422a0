package io.huddle.presence;

import io.huddle.event.EventType;
import io.huddle.store.Background;
import io.huddle.store.Database;
import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last hour, for who would rather look than read. Kept in the memory of each node, from what it counts anyway; a request
 * touches no database. Synthetic rooms are left out.
 *
 * <p>What is of the cluster is read from the database and the same on every node that has run for so long. The events of a
 * minute are counted once after its end and, so that the chart is live, while it lasts; those from before the node's start are
 * counted too. Sessions from before the start are not known. Safe for use by any thread.
 */
@ApplicationScoped
public class Chronicle {
    /** How far back it goes. */
    public static final Duration LENGTH = Duration.ofHours(1);

    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration STEP = Chart.SESSIONS.step();
    private static final Duration MINUTE = Chart.TRANSITIONS.step();

    /** A transaction that began before the end of a minute has ended by then: none may take longer than a second. */
    private static final Duration SETTLED = Duration.ofSeconds(3);

    private static final String EVENTS = "SELECT e.type, count(*) FROM room_event e JOIN room r ON r.id = e.room_id"
            + " WHERE e.at >= ? AND e.at < ? AND NOT e.shadow AND NOT r.synthetic GROUP BY e.type";

    private final History<Headcount> counts = new History<>();
    private final History<Lateness> lateness = new History<>();
    private final History<Minute> minutes = new History<>();
    private final AtomicReference<Lateness> gathered = new AtomicReference<>(Lateness.NONE);
    private volatile @Nullable Reached reached;

    @Inject
    private Census census;

    @Inject
    private Database database;

    @Inject
    private Background background;

    /** Where the database's clock was, by the monotonic one. */
    private record Reached(Instant at, long nanos) {}

    /** @param settled whether nothing can be added any more */
    private record Minute(Map<String, Long> events, boolean settled) {}

    /**
     * The data of one chart.
     *
     * @param times the beginnings of the steps, in order
     * @param lines each with a value for each of the times; null where nothing is known
     */
    public record Drawing(List<Instant> times, Map<String, List<@Nullable Double>> lines) {}

    void start(@Observes DatabaseReady ready) {
        background.repeat("the chronicle", EVERY, EVERY, this::write);
    }

    /** Some renewals of this node; called after each batch. */
    void renewed(Lateness late) {
        gathered.accumulateAndGet(late, Lateness::and);
    }

    /** The chart of the last minutes, the one that is under way included. Empty before anything is known. */
    public Drawing draw(Chart chart, int last) {
        Reached from = reached;
        if (from == null) {
            return new Drawing(List.of(), Map.of());
        }
        Duration since = Duration.ofNanos(System.nanoTime() - from.nanos());
        // What has not been written yet is no gap, unless it should have been long ago.
        Instant now = since.compareTo(STEP) < 0 ? from.at() : from.at().plus(since);
        List<Instant> times = steps(now.minus(Duration.ofMinutes(last)), now, chart.step());
        Map<String, List<@Nullable Double>> lines = new LinkedHashMap<>();
        for (String line : names(chart)) {
            List<@Nullable Double> values = new ArrayList<>(times.size());
            times.forEach(time -> values.add(value(chart, line, time)));
            lines.put(line, values);
        }
        return new Drawing(times, lines);
    }

    /** The steps that have begun after {@code from} and until {@code to}. */
    static List<Instant> steps(Instant from, Instant to, Duration step) {
        Instant end = History.step(to, step);
        return Stream.iterate(History.step(from, step).plus(step), time -> !time.isAfter(end), time -> time.plus(step))
                .toList();
    }

    private static List<String> names(Chart chart) {
        return switch (chart) {
            case SESSIONS ->
                Stream.of(SessionState.values())
                        .filter(state -> state != SessionState.ABSENT)
                        .map(SessionState::wire)
                        .toList();
            case TRANSITIONS ->
                Stream.of(EventType.values()).map(EventType::wire).toList();
            case RENEWAL_LATENESS -> List.of("mean", "worst");
            case OLDEST_UNRENEWED_LEASE -> List.of("oldest");
        };
    }

    private @Nullable Double value(Chart chart, String line, Instant time) {
        return switch (chart) {
            case SESSIONS -> of(counts.at(time), count -> (double) count.sessions(SessionState.of(line)));
            case OLDEST_UNRENEWED_LEASE -> of(counts.at(time), Headcount::oldestSeconds);
            case TRANSITIONS ->
                of(minutes.at(time), minute -> (double) minute.events().getOrDefault(line, 0L));
            case RENEWAL_LATENESS ->
                of(lateness.at(time), late -> line.equals("mean") ? late.meanSeconds() : late.worstSeconds());
        };
    }

    private static <T> @Nullable Double of(@Nullable T known, Function<T, Double> value) {
        return known == null ? null : value.apply(known);
    }

    private void write() throws SQLException {
        Headcount count = census.latest().orElse(null);
        if (count == null) {
            return;
        }
        Instant now = count.at();
        Instant step = History.step(now, STEP);
        counts.put(step, count, (before, after) -> after);
        Lateness late = gathered.getAndSet(Lateness.NONE);
        if (late.renewals() > 0) {
            lateness.put(step, late, Lateness::and);
        }
        Instant oldest = now.minus(LENGTH).minus(MINUTE);
        counts.keep(oldest, now);
        lateness.keep(oldest, now);
        minutes.keep(oldest, now);
        try {
            countEvents(now);
        } finally {
            reached = new Reached(now, System.nanoTime());
        }
    }

    private void countEvents(Instant now) throws SQLException {
        for (Instant minute : steps(now.minus(LENGTH), now, MINUTE)) {
            Minute known = minutes.at(minute);
            if (known == null || !known.settled()) {
                Instant end = minute.plus(MINUTE);
                minutes.put(
                        minute,
                        new Minute(events(minute, end), end.plus(SETTLED).isBefore(now)),
                        (one, other) -> other);
            }
        }
    }

    private Map<String, Long> events(Instant from, Instant to) throws SQLException {
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(EVENTS)) {
            query.setTimestamp(1, Timestamp.from(from));
            query.setTimestamp(2, Timestamp.from(to));
            Map<String, Long> events = new TreeMap<>();
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    events.put(row.getString(1), row.getLong(2));
                }
            }
            return events;
        }
    }
}
