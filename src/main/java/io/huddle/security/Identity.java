package io.huddle.security;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who is at the other end of a client stream. Immutable. */
public sealed interface Identity {
    /** A participant's connection: it may do only what concerns this session and this generation. */
    record Participant(String session, long generation) implements Identity {}

    /**
     * A service or device that signed with its key: it may do what the key's roles allow, within the key's teams.
     *
     * @param keyMadeAt tells the key from a later one of the same client; null if nothing is known of it
     */
    record Client(
            String client,
            Set<Role> roles,
            Set<String> teams,
            @Nullable Instant keyMadeAt) implements Identity {
        public Client(String client, Set<Role> roles, Set<String> teams) {
            this(client, roles, teams, null);
        }

        public boolean is(Role role) {
            return roles.contains(role);
        }
    }
}
