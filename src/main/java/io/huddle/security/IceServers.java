package io.huddle.security;

import io.huddle.setting.Setting;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The STUN and TURN servers that a member's browser may use, with a credential of its own. Safe for use by any thread.
 *
 * <p>The credential follows the REST scheme of coturn ({@code use-auth-secret}): the name is the Unix time at which it ends
 * and the session's id, the password a keyed hash of the name. Nothing is stored; the TURN server knows the same secret.
 */
@ApplicationScoped
public class IceServers {
    private static final String STUN = "huddle.ice.stun-urls";
    private static final String TURN = "huddle.ice.turn-urls";
    private static final String SECRET = "huddle.ice.turn-secret";
    private static final String HMAC = "HmacSHA1";

    private final List<String> stun = urls(STUN, "stun");
    private final List<String> turn = urls(TURN, "turn");
    private final String secret = Setting.text(SECRET);
    private final int lifetimeSeconds = Setting.TURN_TTL_SECONDS.value();

    /** An entry for {@code RTCPeerConnection}; name and credential belong to TURN only. */
    public record IceServer(
            List<String> urls,
            @Nullable String username,
            @Nullable String credential) {}

    /** @throws IllegalStateException if an address is none, or TURN lacks its secret; never quotes the secret */
    static void check() {
        urls(STUN, "stun");
        if (!urls(TURN, "turn").isEmpty() && Setting.text(SECRET).isEmpty()) {
            throw new IllegalStateException(
                    TURN + " needs " + SECRET + ": the static-auth-secret of the TURN server's configuration");
        }
    }

    /** The servers for one session, with a credential that begins now. */
    public List<IceServer> of(String session, Instant now) {
        List<IceServer> servers = new ArrayList<>();
        if (!stun.isEmpty()) {
            servers.add(new IceServer(stun, null, null));
        }
        if (!turn.isEmpty()) {
            String username = now.plusSeconds(lifetimeSeconds).getEpochSecond() + ":" + session;
            servers.add(new IceServer(turn, username, credential(secret, username)));
        }
        return List.copyOf(servers);
    }

    /** The password of a name: base64 of HMAC-SHA1, which is what TURN servers compute. */
    static String credential(String secret, String username) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
            return Base64.getEncoder().encodeToString(mac.doFinal(username.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has " + HMAC, impossible);
        }
    }

    private static List<String> urls(String setting, String scheme) {
        List<String> urls = Arrays.stream(Setting.text(setting).split(","))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .toList();
        for (String url : urls) {
            if (!url.matches(scheme + "s?:[^\\s/?]+(\\?transport=(udp|tcp))?")) {
                throw new IllegalStateException(setting + " holds '" + url + "' but an address looks like " + scheme
                        + ":" + scheme + ".example:3478");
            }
        }
        return urls;
    }
}
