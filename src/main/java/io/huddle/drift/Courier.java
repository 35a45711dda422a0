package io.huddle.drift;

import io.huddle.drift.Messages.Claimed;
import io.huddle.setting.Setting;
import io.huddle.store.Background;
import io.huddle.store.DatabaseReady;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells the webhook, if there is one: on every node, one message at a time, outside of any transaction.
 *
 * <p>A receiver that is away is tried again after 5 s, then twice as long each time, up to 15 minutes, and a bounded number
 * of times. One that answers 410 wants no more of that message. What the receiver answers is neither read nor logged; the
 * address, which may hold a token, is never logged.
 */
@ApplicationScoped
public class Courier {
    private static final Logger LOG = Logger.getLogger(Courier.class.getName());
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final int MOST_A_RUN = 20;

    /** More than a try may take: the claim must outlive it, also where a name server is slow. */
    private static final Duration SPARE = Duration.ofSeconds(60);

    private final Duration timeout = Duration.ofMillis(Setting.WEBHOOK_TIMEOUT_MS.value());
    private final int mostTries = Setting.WEBHOOK_TRIES.value();

    @Inject
    private Outbox outbox;

    @Inject
    private DriftMetrics metrics;

    @Inject
    private Background background;

    void start(@Observes DatabaseReady ready) {
        WebhookAddress address = WebhookAddress.configured();
        if (address != null) {
            HttpsPost post = HttpsPost.ofTheSystem(Setting.WEBHOOK_ALLOW_PRIVATE.isOn(), timeout);
            background.repeat("the alerts' webhook", EVERY, EVERY, () -> deliver(address, post));
        }
    }

    private void deliver(WebhookAddress address, HttpsPost post) throws SQLException {
        for (int left = MOST_A_RUN; left > 0; left--) {
            Claimed message = outbox.claim(timeout.plus(SPARE));
            if (message == null) {
                return;
            }
            settle(message, attempt(address, post, message));
        }
    }

    /** @return the status, or 0 if there was no answer */
    private static int attempt(WebhookAddress address, HttpsPost post, Claimed message) {
        var headers = WebhookSignature.headers(
                address.key(), message.id(), message.now().getEpochSecond(), message.body());
        try {
            return post.send(address.url(), headers, message.body().getBytes(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            LOG.log(
                    Level.FINE,
                    "the webhook was not reached: {0}",
                    failed.getClass().getSimpleName());
            return 0;
        }
    }

    private void settle(Claimed message, int status) throws SQLException {
        Settlement settlement = Settlement.of(status, message.tries(), mostTries);
        outbox.settle(message, settlement);
        metrics.delivery(settlement.wire());
        if (settlement == Settlement.GIVEN_UP) {
            LOG.log(
                    Level.WARNING,
                    "message {0} to the webhook was given up after {1} tries; the last answer was {2}",
                    new Object[] {message.id(), message.tries(), status == 0 ? "none" : Integer.toString(status)});
        }
    }
}
