package io.huddle.membership;

/** The store in memory does what every store does. */
class LocalMembershipTest extends MembershipContract {
    @Override
    MembershipBackend store() {
        return new LocalMembership(this::time);
    }

    @Override
    long time() {
        return System.currentTimeMillis();
    }
}
