package io.huddle.membership;

import io.huddle.redis.Redis;
import io.huddle.registry.NodeClock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;

/** Chooses where the nodes meet: in Redis where one is configured, otherwise there is this node alone. */
@ApplicationScoped
public class Memberships {
    @Produces
    @ApplicationScoped
    MembershipBackend backend(Redis redis) {
        return redis.isConfigured() ? new RedisMembership(redis) : new LocalMembership(new NodeClock());
    }
}
