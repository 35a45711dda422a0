package io.huddle.security;

import java.util.Set;

/** Who is at the other end of a client stream. Immutable. */
public sealed interface Identity {
    /** A participant's connection: it may do only what concerns this session and this generation. */
    record Participant(String session, long generation) implements Identity {}

    /** A service or device that signed with its key: it may do what the key's roles allow, within the key's teams. */
    record Client(String client, Set<Role> roles, Set<String> teams) implements Identity {
        public boolean is(Role role) {
            return roles.contains(role);
        }
    }
}
