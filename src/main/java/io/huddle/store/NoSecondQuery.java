package io.huddle.store;

import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionCustomizer;

/**
 * Takes from the persistence provider the habit of asking a lost database again, three times with five seconds in between,
 * while a caller and a thread wait. Whoever is told 503 at once can decide for itself; {@link Retried} covers what a
 * second try can mend. No property of the platform says this.
 */
public class NoSecondQuery implements SessionCustomizer {
    @Override
    public void customize(Session session) {
        session.getLogin().setQueryRetryAttemptCount(0);
    }
}
