package io.huddle.security;

import java.util.Hashtable;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.Subject;

/**
 * What the platform's client of OpenID Connect has learnt of whoever signed in with this request.
 *
 * <p>By reflection: servers without that feature do not have the class, and no interface of Jakarta tells it.
 */
final class PlatformSignIn {
    private static final String SUBJECTS = "com.ibm.websphere.security.auth.WSSubject";
    private static final String FEATURE = "com.ibm.websphere.security.openidconnect.PropagationHelper";

    private PlatformSignIn() {}

    /** True if the server has the feature. */
    static boolean isThere() {
        try {
            Class.forName(FEATURE, false, PlatformSignIn.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** The tokens of this thread's request; empty if nobody signed in with it. */
    static Optional<PageSession> tokens() {
        for (Hashtable<?, ?> facts : facts()) {
            Object access = facts.get("access_token");
            Object refresh = facts.get("refresh_token");
            if (access != null) {
                return Optional.of(PageSession.of(access.toString(), refresh == null ? "" : refresh.toString()));
            }
        }
        return Optional.empty();
    }

    @SuppressWarnings("rawtypes")
    private static Set<Hashtable> facts() {
        try {
            Object subject =
                    Class.forName(SUBJECTS).getMethod("getRunAsSubject").invoke(null);
            return subject instanceof Subject known ? known.getPrivateCredentials(Hashtable.class) : Set.of();
        } catch (ReflectiveOperationException changed) {
            throw new IllegalStateException("the server does not tell who signed in", changed);
        }
    }
}
