package io.huddle.presence;

import io.huddle.setting.Setting;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.TimeUnit;

/** When the sweep of this node last reached the database: what readiness goes by. Safe for use by any thread. */
@ApplicationScoped
public class DatabaseContact {
    private final long patience = TimeUnit.MILLISECONDS.toNanos(Setting.DATABASE_SILENCE_MS.value());

    private volatile boolean ever;
    private volatile long last;

    void made() {
        last = System.nanoTime();
        ever = true;
    }

    /** True if the database answered within the configured silence. */
    boolean isFresh() {
        return ever && System.nanoTime() - last <= patience;
    }
}
