package io.huddle.mesh;

import java.util.Collection;
import java.util.Set;

/**
 * Whom a caller may see and reach. Immutable.
 *
 * @param everybody true for operators
 * @param teams otherwise the clients of these
 */
public record Reach(boolean everybody, Set<String> teams) {
    public Reach {
        teams = Set.copyOf(teams);
    }

    /** The clients of these teams. */
    public static Reach of(Set<String> teams) {
        return new Reach(false, teams);
    }

    boolean includes(Collection<String> theirs) {
        return everybody || theirs.stream().anyMatch(teams::contains);
    }
}
