package io.huddle.mesh;

import io.huddle.registry.OrphanAccount;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.eclipse.microprofile.metrics.Metadata;
import org.eclipse.microprofile.metrics.MetricRegistry;

/** What is known of orphans. The gauges are the registry's, the same on every node: queries take {@code max()}. */
@ApplicationScoped
public class OrphanMetrics {
    private static final double MS_A_SECOND = 1_000;
    private static final Metadata REDELIVERIES = described(
            "huddle_orphan_redeliveries",
            "Chunks of orphaned clients that this node delivered not for the first time.");

    @Inject
    private MetricRegistry registry;

    /** @param account asks the registry; the answer is kept for a second, so that a scrape asks once */
    void begin(Supplier<CompletionStage<OrphanAccount>> account) {
        Recent<OrphanAccount> recent = new Recent<>(account, System::nanoTime);
        gauge(recent, "huddle_orphan_items", "Chunks of orphaned clients that wait.", OrphanAccount::items);
        gauge(recent, "huddle_orphan_bytes", "Bytes of the chunks that wait.", OrphanAccount::bytes);
        gauge(recent, "huddle_orphan_oldest_seconds", "How long the oldest chunk has waited.", OrphanMetrics::age);
        gauge(recent, "huddle_orphan_dead_letters", "Chunks set aside after ten tries.", OrphanAccount::deadLetters);
    }

    void redelivered() {
        registry.counter(REDELIVERIES).inc();
    }

    static double age(OrphanAccount account) {
        return account.oldest() == 0 ? 0 : Math.max(0, account.now() - account.oldest()) / MS_A_SECOND;
    }

    private void gauge(
            Recent<OrphanAccount> recent, String name, String description, ToDoubleFunction<OrphanAccount> value) {
        registry.gauge(
                described(name, description),
                () -> recent.value().map(value::applyAsDouble).orElse(Double.NaN));
    }

    private static Metadata described(String name, String description) {
        return Metadata.builder().withName(name).withDescription(description).build();
    }
}
