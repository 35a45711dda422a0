package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;
import java.net.URISyntaxException;

/** Addresses in answers: under {@code huddle.public-url} where it is set, else as the request came. */
public final class PublicUrl {
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

    /** @param segments path segments below the API's base */
    public static URI of(UriInfo request, String... segments) {
        String configured = Setting.text("huddle.public-url");
        UriBuilder builder = configured.isEmpty()
                ? request.getBaseUriBuilder()
                : UriBuilder.fromUri(configured).path("api/v1");
        return builder.segment(segments).build();
    }
}
