package io.huddle.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis is, and as whom to go there. Immutable; tells nobody the password.
 *
 * @param nodes as {@code redis://host:port} or {@code rediss://host:port}, without credentials; several are one cluster's
 */
record RedisAddress(
        List<String> nodes, @Nullable String user, @Nullable String password) {
    private static final int DEFAULT_PORT = 6379;

    RedisAddress {
        nodes = List.copyOf(nodes);
    }

    /**
     * Reads addresses separated by commas. The credentials of the first that has some hold for all.
     *
     * @throws IllegalStateException if one of them is none; the message does not repeat it
     */
    static RedisAddress parse(String text) {
        List<String> nodes = new ArrayList<>();
        String credentials = null;
        for (String one : text.split(",", -1)) {
            URI uri = uri(one.strip());
            int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
            nodes.add(uri.getScheme() + "://" + uri.getHost() + ":" + port);
            credentials = credentials == null ? uri.getRawUserInfo() : credentials;
        }
        if (nodes.stream().map(RedisAddress::scheme).distinct().count() > 1) {
            throw new IllegalStateException("huddle.redis.url mixes addresses with and without TLS");
        }
        if (credentials == null) {
            return new RedisAddress(nodes, null, null);
        }
        int colon = credentials.indexOf(':');
        // redis://password@host is written by some; user and password are read as everybody else does.
        String user = colon > 0 ? decoded(credentials.substring(0, colon)) : null;
        return new RedisAddress(nodes, user, decoded(credentials.substring(colon + 1)));
    }

    boolean isCluster() {
        return nodes.size() > 1;
    }

    private static URI uri(String text) {
        try {
            URI uri = new URI(text);
            boolean path = uri.getPath() != null
                    && !uri.getPath().isEmpty()
                    && !uri.getPath().equals("/");
            boolean redis = "redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme());
            if (redis && uri.getHost() != null && !path && uri.getQuery() == null && uri.getFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException notAnAddress) {
            // Its message repeats the text, and with it the password.
        }
        throw new IllegalStateException(
                "huddle.redis.url must hold addresses like redis://host:port or rediss://user:password@host:port,"
                        + " separated by commas");
    }

    private static String scheme(String node) {
        return node.substring(0, node.indexOf(':'));
    }

    private static String decoded(String text) {
        // A plus stands for itself in an address.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return String.join(",", nodes);
    }
}
