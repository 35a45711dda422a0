package io.huddle.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullMarked;

/**
 * What the signature of a handshake covers, each value as it stands in the query after decoding. Pure, immutable.
 *
 * <p>The text is what ECMAScript's {@code JSON.stringify} makes of the same object, to the byte, since clients sign that.
 * Source: the handshake of the stream's protocol.
 *
 * @param timestamp milliseconds since 1970, in digits as sent
 * @param protocol the version as sent
 * @param capabilities as sent, separated by commas; empty without
 * @param metadata the remaining parameters, in any order
 */
@NullMarked
public record CanonicalHandshake(
        String path,
        String audience,
        String appVersion,
        String timestamp,
        String nonce,
        String streamId,
        String clientId,
        String protocol,
        boolean supersede,
        String capabilities,
        Map<String, String> metadata) {
    private static final int VERSION = 2;
    private static final String ALGORITHM = "HmacSHA256";
    private static final long LAST_INDEX = 4_294_967_294L;
    private static final int LAST_INDEX_LENGTH = 10;

    /** ECMAScript's property order: array indices first and by number, then by UTF-16 code unit. */
    private static final Comparator<String> PROPERTY_ORDER =
            Comparator.comparingLong(CanonicalHandshake::index).thenComparing(Comparator.naturalOrder());

    public CanonicalHandshake {
        metadata = Map.copyOf(metadata);
    }

    /** The signed text. */
    public String text() {
        StringBuilder text = new StringBuilder("{\"version\":").append(VERSION);
        member(text.append(','), "path", path);
        member(text.append(','), "audience", audience);
        member(text.append(','), "appv", appVersion);
        member(text.append(','), "ts", timestamp);
        member(text.append(','), "nonce", nonce);
        member(text.append(','), "id", streamId);
        member(text.append(','), "cid", clientId);
        member(text.append(','), "protocol", protocol);
        member(text.append(','), "supersede", supersede ? "1" : "0");
        member(text.append(','), "capabilities", capabilities);
        return text.append(",\"metadata\":")
                .append(object(metadata))
                .append('}')
                .toString();
    }

    /** The signature: 64 lower-case hexadecimal digits. */
    public String signature(String secret) {
        return hmac(secret, text());
    }

    /** The signature of the protocols 1 and 2, which covers neither path nor metadata. */
    public static String legacySignature(
            String secret, String appVersion, String timestamp, String streamId, String clientId) {
        return hmac(secret, "1\n" + appVersion + "\n" + timestamp + "\n" + streamId + "\n" + clientId + "\n");
    }

    /** Texts by name as a JSON object in ECMAScript's property order, without white space. */
    public static String object(Map<String, String> members) {
        TreeMap<String, String> sorted = new TreeMap<>(PROPERTY_ORDER);
        sorted.putAll(members);
        StringBuilder text = new StringBuilder("{");
        sorted.forEach((name, value) -> {
            if (text.length() > 1) {
                text.append(',');
            }
            member(text, name, value);
        });
        return text.append('}').toString();
    }

    private static void member(StringBuilder text, String name, String value) {
        quote(text, name);
        text.append(':');
        quote(text, value);
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                text.append(c).append(value.charAt(i + 1));
                i++;
            } else {
                escape(text, c);
            }
        }
        text.append('"');
    }

    private static void escape(StringBuilder text, char c) {
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\b' -> text.append("\\b");
            case '\t' -> text.append("\\t");
            case '\n' -> text.append("\\n");
            case '\f' -> text.append("\\f");
            case '\r' -> text.append("\\r");
            default -> {
                if (c < ' ' || Character.isSurrogate(c)) {
                    text.append("\\u").append(HexFormat.of().toHexDigits(c));
                } else {
                    text.append(c);
                }
            }
        }
    }

    /** The number of an array index; for any other name a number above all of them. */
    private static long index(String name) {
        boolean digits = !name.isEmpty()
                && name.length() <= LAST_INDEX_LENGTH
                && name.chars().allMatch(c -> c >= '0' && c <= '9')
                && (name.length() == 1 || name.charAt(0) != '0');
        long number = digits ? Long.parseLong(name) : Long.MAX_VALUE;
        return number <= LAST_INDEX ? number : Long.MAX_VALUE;
    }

    private static String hmac(String secret, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java runtime has " + ALGORITHM, impossible);
        }
    }
}
