package io.huddle.presence;

import io.huddle.room.Rooms;
import io.huddle.security.Identity;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who is in a room together, for those above that let members talk to each other. Safe for use by any thread. */
@ApplicationScoped
public class Members {
    @Inject
    private Standings standings;

    /**
     * The current generation of another member of the same open room. One query; no lapsed lease counts.
     *
     * @param command what it is for, from the closed set of commands
     * @throws Refused {@code room-not-found} if the caller's session is not of this room; {@code stale-generation},
     *     {@code room-closing}, {@code room-closed}, {@code lease-expired}, {@code session-ended} if the caller's generation
     *     may not act any more; {@code session-not-found} if the other one is no member
     */
    public long generation(Identity.Participant caller, String command, String room, String other) throws SQLException {
        Map<String, Standing> found = standings.of(List.of(caller.session(), other));
        Standing mine = found.get(caller.session());
        if (mine == null || !mine.room().equals(room)) {
            throw Rooms.notFound();
        }
        Refusal refusal = mine.refusal(caller.generation());
        if (refusal != null) {
            throw Rejections.of(refusal, command, room, caller.session(), mine.generation());
        }
        @Nullable Standing theirs = found.get(other);
        if (theirs == null || !theirs.room().equals(room) || !theirs.isMember()) {
            throw new Refused(Refusal.SESSION_NOT_FOUND, "no member of this room has this session");
        }
        return theirs.generation();
    }
}
