package io.huddle.security;

import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;

/**
 * Who calls: taken from a verified token, immutable.
 *
 * @param subject pseudonymous, without {@code @} and white space
 * @param expires when the token ends; a live subscription ends with it
 */
public record Caller(String subject, Set<Role> roles, Set<String> teams, Instant expires) {
    public boolean is(Role role) {
        return roles.contains(role);
    }

    /** @throws Refused {@code forbidden} unless the caller has one of the roles */
    public void need(Role... anyOf) {
        if (Arrays.stream(anyOf).noneMatch(roles::contains)) {
            throw new Refused(
                    Refusal.FORBIDDEN,
                    "this needs a token with one of the groups "
                            + String.join(
                                    ", ", Arrays.stream(anyOf).map(Role::group).toList()));
        }
    }

    /** True if rooms of this team exist for the caller. */
    public boolean sees(String team) {
        return is(Role.OPERATOR) || actsIn(team);
    }

    /** True if the caller may act inside rooms of this team, which an operator as such may not. */
    public boolean actsIn(String team) {
        return teams.contains(team) && (is(Role.PARTICIPANT) || is(Role.INTEGRATOR));
    }

    /** True if the caller may act for this participant in rooms of its teams. */
    public boolean actsFor(String participant) {
        return is(Role.INTEGRATOR) || subject.equals(participant);
    }
}
