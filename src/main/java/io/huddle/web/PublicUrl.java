package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/** Addresses in answers: under {@code huddle.public-url} where it is set, else as the request came. */
public final class PublicUrl {
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    private static final String STREAM = "stream";

    private PublicUrl() {}

    /** @throws IllegalStateException unless the setting is empty or an absolute address of the web */
    public static void check() {
        String configured = Setting.text("huddle.public-url");
        if (!configured.isEmpty() && !isAddress(configured)) {
            throw new IllegalStateException(
                    "huddle.public-url is '" + configured + "' but must look like https://huddle.example");
        }
    }

    private static boolean isAddress(String text) {
        try {
            URI address = new URI(text);
            return ("https".equals(address.getScheme()) || "http".equals(address.getScheme()))
                    && address.getHost() != null;
        } catch (URISyntaxException unreadable) {
            return false;
        }
    }

    /** The origin of the setting as a browser names it: in lower case, without the scheme's own port. Empty if not set. */
    public static Optional<String> origin() {
        String configured = Setting.text("huddle.public-url");
        return configured.isEmpty() ? Optional.empty() : Optional.of(origin(URI.create(configured)));
    }

    /**
     * The origin of an address as a browser names it. Taken from the authority, since a host with an underscore, as
     * container networks have them, is none by the rules of {@link URI#getHost}.
     */
    public static String origin(URI address) {
        String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
        String authority = String.valueOf(address.getRawAuthority()).toLowerCase(Locale.ROOT);
        String usual = ":" + ("https".equals(scheme) ? HTTPS : HTTP);
        return scheme + "://"
                + (authority.endsWith(usual) ? authority.substring(0, authority.length() - usual.length()) : authority);
    }

    /** Where the client streams are: by {@code wss} where the API is by {@code https}. */
    public static URI stream(UriInfo request) {
        String configured = Setting.text("huddle.public-url");
        UriBuilder builder =
                configured.isEmpty() ? request.getBaseUriBuilder().replacePath("") : UriBuilder.fromUri(configured);
        URI address = builder.path(STREAM).build();
        return UriBuilder.fromUri(address)
                .scheme("https".equals(address.getScheme()) ? "wss" : "ws")
                .build();
    }

    /** @param segments path segments below the API's base */
    public static URI of(UriInfo request, String... segments) {
        String configured = Setting.text("huddle.public-url");
        UriBuilder builder = configured.isEmpty()
                ? request.getBaseUriBuilder()
                : UriBuilder.fromUri(configured).path("api/v1");
        return builder.segment(segments).build();
    }
}
