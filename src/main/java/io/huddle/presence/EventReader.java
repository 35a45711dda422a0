package io.huddle.presence;

import io.huddle.event.Events;
import io.huddle.event.RoomEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what a live reader is sent next, whichever way it is sent. Safe for use by any thread. */
@ApplicationScoped
public class EventReader {
    private static final int A_READ = 100;

    @Inject
    private Events events;

    @Inject
    private Rosters rosters;

    /**
     * What to send next.
     *
     * @param events in order, without a gap to where the reader stands; empty if there is nothing new
     * @param snapshot in place of events that are no longer kept, or for a reader that is ahead of its room
     */
    record Portion(List<RoomEvent> events, @Nullable RosterJson snapshot) {
        boolean isEmpty() {
            return events.isEmpty() && snapshot == null;
        }

        /** True if there may be more at once. */
        boolean isFull() {
            return events.size() == A_READ;
        }

        /** Where the reader stands once it has this portion, which is not empty. */
        long last() {
            return snapshot != null
                    ? snapshot.seq()
                    : events.get(events.size() - 1).seq();
        }
    }

    /** The next portion for a reader that stands at this number. */
    Portion after(String room, long position) throws SQLException {
        Events.Slice slice = events.after(room, position, A_READ);
        if (slice.items().isEmpty() || slice.items().get(0).seq() != position + 1) {
            RosterJson snapshot = rosters.snapshot(room);
            if (slice.isMissing(position, snapshot.seq())) {
                return new Portion(List.of(), snapshot);
            }
        }
        return new Portion(slice.items(), null);
    }
}
