package io.huddle.presence;

import io.huddle.rollout.Stage;
import java.time.Instant;

/** What a verdict is based on: when it is, and what is enforced by now. Read together and after the locks. */
record Basis(Moment moment, Stage stage) {
    Instant now() {
        return moment.now();
    }
}
