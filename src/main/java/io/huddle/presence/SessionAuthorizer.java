package io.huddle.presence;

import io.huddle.security.Identity;
import io.huddle.stream.Authorizer;
import io.huddle.stream.Handshake;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Lets a participant's stream in only for the current generation of a session that is in an open room. Safe for use by any
 * thread. {@link StreamArrivals} asks again at activation, since a newer generation may have joined meanwhile.
 */
@ApplicationScoped
public class SessionAuthorizer implements Authorizer {
    @Inject
    private Standings standings;

    /** @throws Refused {@code forbidden} if the session is not there, or not in this generation */
    @Override
    public Map<String, String> authorize(Handshake handshake) {
        if (handshake.identity() instanceof Identity.Participant participant && !isCurrent(participant)) {
            throw new Refused(Refusal.FORBIDDEN, "the ticket's generation is not in the room any more");
        }
        return Map.of();
    }

    private boolean isCurrent(Identity.Participant participant) {
        try {
            Standing standing = standings.of(List.of(participant.session())).get(participant.session());
            return standing != null && standing.refusal(participant.generation()) == null;
        } catch (SQLException failed) {
            throw new IllegalStateException("the session of a handshake could not be read", failed);
        }
    }
}
