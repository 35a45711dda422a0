package io.huddle.web;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The weak comparison of validators that RFC 9110 wants of If-None-Match and the platform's own precondition does not make. Pure. */
public final class EntityTags {
    private EntityTags() {}

    /**
     * True if the reader has this version already.
     *
     * @param known the header If-None-Match
     * @param etag without quotes
     */
    public static boolean matches(@Nullable String known, String etag) {
        return known != null
                && Pattern.compile(",")
                        .splitAsStream(known)
                        .map(String::strip)
                        .anyMatch(one ->
                                one.equals("*") || one.replaceFirst("^W/", "").equals('"' + etag + '"'));
    }
}
