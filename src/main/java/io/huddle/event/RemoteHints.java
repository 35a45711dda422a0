package io.huddle.event;

import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.store.DatabaseReady;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.inject.Inject;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tells the other nodes that a room has a new event, and hears it from them, so that their subscribers need not wait for the
 * poll. A hint and no more: what is delivered is read from the database. Where there is no other node nothing is done.
 */
@ApplicationScoped
public class RemoteHints {
    static final String TYPE = "room-events";
    private static final long LINGER_MS = 5;

    @Inject
    private Membership membership;

    @Inject
    private MembershipBackend nodes;

    @Inject
    private Feed feed;

    @Resource
    private ManagedScheduledExecutorService scheduler;

    @SuppressWarnings("NullAway.Init")
    private HintBatch batch;

    @PostConstruct
    void prepare() {
        batch = new HintBatch(json -> membership.broadcast(TYPE, json, true), this::later);
    }

    private void later(Runnable work) {
        ScheduledFuture<?> unused = scheduler.schedule(work, LINGER_MS, TimeUnit.MILLISECONDS);
    }

    void start(@Observes DatabaseReady ready) {
        if (nodes.isShared()) {
            membership.onBroadcast(TYPE, heard -> HintBatch.read(heard.json()).forEach(feed::hint));
        }
    }

    void tell(@Observes(during = TransactionPhase.AFTER_SUCCESS) Appended appended) {
        if (nodes.isShared()) {
            batch.add(appended.event().room(), appended.event().seq());
        }
    }
}
