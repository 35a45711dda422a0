package io.huddle.link;

import io.huddle.setting.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Where this node's link is reached and the secrets of its group, as configured. Immutable.
 *
 * @param url empty if there is no link
 * @param secrets empty if there is no link; never to be printed
 */
record MeshAddress(String url, List<String> secrets) {
    static final String PATH = "/mesh";

    private static final String URL = "huddle.mesh.url";
    private static final String SECRET = "huddle.mesh.secret";
    private static final int LEAST_SECRET_BYTES = 32;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]");

    /** @throws IllegalStateException if what is configured cannot be meant; it names the setting and never the secret */
    static MeshAddress configured() {
        return of(Setting.text(URL), Setting.text(SECRET), Setting.MESH_ALLOW_PLAIN.isOn());
    }

    static MeshAddress of(String url, String secret, boolean allowPlain) {
        if (url.isEmpty() && secret.isEmpty()) {
            return new MeshAddress("", List.of());
        }
        if (url.isEmpty() || secret.isEmpty()) {
            throw new IllegalStateException((url.isEmpty() ? URL : SECRET) + " is missing: " + URL + " and " + SECRET
                    + " are set together or not at all");
        }
        List<String> secrets =
                Arrays.stream(secret.split(",", -1)).map(String::strip).toList();
        for (String each : secrets) {
            int length = each.getBytes(StandardCharsets.UTF_8).length;
            if (length < LEAST_SECRET_BYTES) {
                throw new IllegalStateException(SECRET + " has one of " + length + " bytes but each needs at least "
                        + LEAST_SECRET_BYTES + ": make one by 'openssl rand -base64 32' and give it to every node");
            }
        }
        checkUrl(url, allowPlain);
        return new MeshAddress(url, secrets);
    }

    boolean isEnabled() {
        return !url.isEmpty();
    }

    /** Without the secrets, which a record would print. */
    @Override
    public String toString() {
        return "MeshAddress[" + url + "]";
    }

    /** True if a link may be opened to this address of a peer. */
    static boolean isUsable(String url, boolean allowPlain) {
        try {
            checkUrl(url, allowPlain);
            return true;
        } catch (IllegalStateException unusable) {
            return false;
        }
    }

    private static void checkUrl(String url, boolean allowPlain) {
        URI address;
        try {
            address = new URI(url);
        } catch (URISyntaxException malformed) {
            throw new IllegalStateException(URL + " is no address: '" + url + "'", malformed);
        }
        String scheme = address.getScheme() == null ? "" : address.getScheme().toLowerCase(Locale.ROOT);
        boolean isPlain = scheme.equals("ws");
        if ((!isPlain && !scheme.equals("wss"))
                || address.getHost() == null
                || address.getRawUserInfo() != null
                || address.getRawQuery() != null
                || address.getRawFragment() != null
                || !PATH.equals(address.getRawPath())) {
            throw new IllegalStateException(
                    URL + " must have the form wss://host:port" + PATH + ", without user, query and fragment");
        }
        if (isPlain && !allowPlain && !LOOPBACK.contains(address.getHost().toLowerCase(Locale.ROOT))) {
            throw new IllegalStateException(URL + " is not encrypted and reaches other hosts: use wss://, or set "
                    + Setting.MESH_ALLOW_PLAIN.key() + "=true if the network between the nodes is private");
        }
    }
}
