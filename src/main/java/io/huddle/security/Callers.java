package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.Text;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.ByteArrayInputStream;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/** Reads the {@link Caller} from the token that the platform has verified. One a request. */
@RequestScoped
public class Callers {
    @Inject
    private JsonWebToken token;

    private @Nullable Caller known;

    /** @throws Refused {@code unauthenticated} without the subject claim, {@code forbidden} with one that names a person */
    public Caller current() {
        Caller caller = known;
        if (caller == null) {
            caller = read();
            known = caller;
        }
        return caller;
    }

    private Caller read() {
        String claim = Setting.text("huddle.jwt.subject-claim");
        String subject = text(token.getClaim(claim.isEmpty() ? "sub" : claim));
        if (subject == null) {
            throw new Refused(Refusal.UNAUTHENTICATED, "the token lacks the claim that names its subject");
        }
        try {
            Text.participant("the token's subject", subject);
        } catch (Refused personal) {
            throw new Refused(Refusal.FORBIDDEN, personal.detail());
        }
        return new Caller(subject, roles(), teams(), expires());
    }

    /** A NumericDate may have a fraction, which the platform's accessors do not know; so it is read from the token itself. */
    private Instant expires() {
        String raw = token.getRawToken();
        int dot = raw.indexOf('.');
        byte[] claims = Base64.getUrlDecoder().decode(raw.substring(dot + 1, raw.indexOf('.', dot + 1)));
        try (JsonReader reader = Json.createReader(new ByteArrayInputStream(claims))) {
            return Instant.ofEpochSecond(
                    reader.readObject().getJsonNumber("exp").longValue());
        } catch (RuntimeException unreadable) {
            throw new Refused(Refusal.UNAUTHENTICATED, "the token's exp must be a number");
        }
    }

    private Set<Role> roles() {
        Set<String> groups = token.getGroups() == null ? Set.of() : token.getGroups();
        EnumSet<Role> roles = EnumSet.noneOf(Role.class);
        for (Role role : Role.values()) {
            if (groups.contains(role.group())) {
                roles.add(role);
            }
        }
        return roles;
    }

    private Set<String> teams() {
        Set<String> teams = new LinkedHashSet<>();
        Object claim = token.getClaim("teams");
        if (claim instanceof Collection<?> many) {
            many.forEach(one -> {
                String team = text(one);
                if (team != null) {
                    teams.add(team);
                }
            });
        }
        return Set.copyOf(teams);
    }

    private static @Nullable String text(@Nullable Object claim) {
        if (claim instanceof JsonString json) {
            return json.getString();
        }
        return claim instanceof String string ? string : null;
    }
}
