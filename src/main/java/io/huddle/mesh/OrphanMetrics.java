package io.huddle.mesh;

import io.huddle.registry.OrphanAccount;
import io.huddle.time.Latest;
import io.huddle.web.ClusterWide;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.function.ToDoubleFunction;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What is known of orphans. The gauges are the registry's, the same on every node: queries take {@code max()}. Read every few
 * seconds and not at a scrape, which waits for nobody.
 */
@ApplicationScoped
public class OrphanMetrics {
    private static final Duration GOOD = Duration.ofSeconds(10);
    private static final double MS_A_SECOND = 1_000;
    private static final Metadata REDELIVERIES = described(
            "huddle_orphan_redeliveries",
            "Chunks of orphaned clients that this node delivered not for the first time.");

    private final Latest<OrphanAccount> latest = new Latest<>(GOOD, System::nanoTime);

    @Inject
    private MetricRegistry registry;

    void begin() {
        registry.counter(REDELIVERIES);
        gauge("huddle_orphan_items", "Chunks of orphaned clients that wait.", OrphanAccount::items);
        gauge("huddle_orphan_bytes", "Bytes of the chunks that wait.", OrphanAccount::bytes);
        gauge("huddle_orphan_oldest_seconds", "How long the oldest chunk has waited.", OrphanMetrics::age);
        gauge("huddle_orphan_dead_letters", "Chunks set aside after ten tries.", OrphanAccount::deadLetters);
    }

    /** What the registry said, or null if it did not answer: then there is no value rather than an old one. */
    void counted(@Nullable OrphanAccount account) {
        if (account == null) {
            latest.forget();
        } else {
            latest.put(account);
        }
    }

    void redelivered() {
        registry.counter(REDELIVERIES).inc();
    }

    static double age(OrphanAccount account) {
        return account.oldest() == 0 ? 0 : Math.max(0, account.now() - account.oldest()) / MS_A_SECOND;
    }

    private void gauge(String name, String description, ToDoubleFunction<OrphanAccount> value) {
        registry.gauge(
                described(name, ClusterWide.REDIS.described(description)),
                () -> latest.value().map(value::applyAsDouble).orElse(Double.NaN));
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }
}
