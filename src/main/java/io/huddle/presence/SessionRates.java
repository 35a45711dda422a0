package io.huddle.presence;

import io.huddle.setting.Setting;
import io.huddle.web.RateLimit;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * How often a session may be renewed, and how often somebody may try, by whichever way the calls come. Safe for use by any
 * thread.
 */
@ApplicationScoped
public class SessionRates {
    private final RateLimit renewals =
            new RateLimit(Setting.RENEWALS_PER_SECOND.value(), Setting.RENEWAL_BURST.value());
    private final RateLimit guesses = new RateLimit(Setting.REQUESTS_PER_SECOND.value(), Setting.REQUEST_BURST.value());
    private final RateLimit commands =
            new RateLimit(Setting.REQUESTS_PER_SECOND.value(), Setting.REQUEST_BURST.value());

    /** @throws io.huddle.web.Refused {@code too-many-requests} */
    void renewal(String session) {
        renewals.take(session);
    }

    /** Renewals do not count as requests; guesses at other people's sessions do. */
    void guess(String subject) {
        guesses.take(subject);
    }

    /** Whatever else a stream asks for: as many as a subject may send requests. */
    void command(String client) {
        commands.take(client);
    }
}
