package io.huddle.room;

import io.huddle.setting.Setting;
import io.huddle.web.IdempotencyKey;
import io.huddle.web.RequestBody;
import io.huddle.web.Text;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A request to create a room.
 *
 * @param fingerprint of the fields as sent, without the caller, so that a retry can be told from another request that uses
 *     the same key; it carries the version of its own making
 */
record Creation(
        String team,
        String occurrence,
        @Nullable String label,
        boolean critical,
        boolean synthetic,
        Policy policy,
        String createdBy,
        IdempotencyKey key,
        String fingerprint) {
    private static final String VERSION = "1:";

    static Creation read(RequestBody body, String createdBy, IdempotencyKey key) {
        String team = body.text("team", Text.ID_LENGTH);
        String occurrence = body.text("occurrence", Setting.OCCURRENCE_LENGTH.value());
        String label = body.optionalText("label", Setting.LABEL_LENGTH.value());
        boolean critical = body.flag("critical", false);
        boolean synthetic = body.flag("synthetic", false);
        Policy policy = Policy.read(body.optionalObject("policy"));
        body.end();
        return new Creation(
                team,
                occurrence,
                label,
                critical,
                synthetic,
                policy,
                createdBy,
                key,
                VERSION + sha256(body.canonical()));
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }
}
