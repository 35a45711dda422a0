package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;

/** Addresses in answers: under {@code huddle.public-url} where it is set, else as the request came. */
public final class PublicUrl {
    private PublicUrl() {}

    /** @param segments path segments below the API's base */
    public static URI of(UriInfo request, String... segments) {
        String configured = Setting.text("huddle.public-url");
        UriBuilder builder = configured.isEmpty()
                ? request.getBaseUriBuilder()
                : UriBuilder.fromUri(configured).path("api/v1");
        return builder.segment(segments).build();
    }
}
