package io.huddle.presence;

import io.huddle.presence.Places.Place;
import io.huddle.security.Identity;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Handles;
import io.huddle.web.JsonShapes;
import io.huddle.wire.ULeaveRequest;
import io.huddle.wire.ULeaveResponse;
import io.huddle.wire.UMediaStateRequest;
import io.huddle.wire.UMediaStateResponse;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import io.huddle.wire.USuspendRequest;
import io.huddle.wire.USuspendResponse;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Renew, suspend, report, leave over the client's stream: the same commands and refusals as by REST. */
@ApplicationScoped
public class SessionMethods {
    @Inject
    private Sessions sessions;

    @Inject
    private Renewals renewals;

    @Inject
    private Places places;

    @Inject
    private StreamRights rights;

    @Inject
    private SessionRates rates;

    @Inject
    private StreamFence fence;

    @Inject
    private StreamFailures failures;

    @Resource
    private ManagedExecutorService executor;

    /** Does not block: what is not remembered of the session is looked up on a thread of the pool. */
    @Handles(value = "uRenew", blocking = false)
    public CompletionStage<URenewResponse> renew(ClientStream stream, URenewRequest request) {
        CompletionStage<Renewal> renewal = places.isKnown(request.getSession())
                ? begin(stream, request)
                : CompletableFuture.supplyAsync(() -> begin(stream, request), executor)
                        .thenCompose(Function.identity());
        return renewal.handle((renewed, failed) -> {
            if (failed != null) {
                throw failures.of(failed);
            }
            return URenewResponse.newBuilder()
                    .setState(renewed.state())
                    .setLeaseUntil(JsonShapes.time(renewed.leaseUntil()))
                    .setServerTime(JsonShapes.time(renewed.serverTime()))
                    .build();
        });
    }

    private CompletionStage<Renewal> begin(ClientStream stream, URenewRequest request) {
        try {
            long generation = Generation.of(request.getGeneration());
            Place place = rights.own(stream, "renew", request.getSession(), generation);
            rates.renewal(place.session());
            return renewals.renewTogether(place, generation, counter(request.hasCounter(), request.getCounter()));
        } catch (SQLException | RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    @Handles("uSuspend")
    public USuspendResponse suspend(ClientStream stream, USuspendRequest request) {
        return failures.run(() -> {
            long generation = Generation.of(request.getGeneration());
            Place place = own(stream, "suspend", request.getSession(), generation);
            Renewal suspended = Renewal.of(sessions.suspend(
                    place.room(), place.session(), generation, counter(request.hasCounter(), request.getCounter())));
            return USuspendResponse.newBuilder()
                    .setState(suspended.state())
                    .setLeaseUntil(JsonShapes.time(suspended.leaseUntil()))
                    .setServerTime(JsonShapes.time(suspended.serverTime()))
                    .build();
        });
    }

    @Handles("uMediaState")
    public UMediaStateResponse report(ClientStream stream, UMediaStateRequest request) {
        return failures.run(() -> {
            MediaReport report = MediaReport.of(request);
            Place place = own(stream, "media", request.getSession(), report.generation());
            sessions.media(place.room(), place.session(), report);
            return UMediaStateResponse.getDefaultInstance();
        });
    }

    /** Who leaves by its own stream gets the answer first, and then the end of the stream. */
    @Handles("uLeave")
    public ULeaveResponse leave(ClientStream stream, ULeaveRequest request) {
        return failures.run(() -> {
            long generation = Generation.of(request.getGeneration());
            Place place = own(stream, "leave", request.getSession(), generation);
            if (stream.identity() instanceof Identity.Participant) {
                fence.leaving(stream, () -> sessions.leave(place.room(), place.session(), generation));
            } else {
                sessions.leave(place.room(), place.session(), generation);
            }
            return ULeaveResponse.getDefaultInstance();
        });
    }

    private Place own(ClientStream stream, String command, String session, long generation) throws SQLException {
        rates.command(stream.clientId());
        return rights.own(stream, command, session, generation);
    }

    private static @Nullable Long counter(boolean isSent, int unsigned) {
        return isSent ? Integer.toUnsignedLong(unsigned) : null;
    }
}
