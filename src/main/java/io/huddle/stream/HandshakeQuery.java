package io.huddle.stream;

import io.huddle.web.Refused;
import io.huddle.wire.CanonicalHandshake;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A handshake's query in its parts, well-formed but not proven. Pure, immutable. Source: the handshake of the stream's
 * protocol.
 *
 * @param protocol 1 to 4
 * @param ticket null if the client signs instead
 * @param appVersion empty if not sent
 * @param timestamp digits; empty with a ticket
 * @param nonce empty with a ticket and in the protocols 1 and 2
 * @param audience as the nonce
 * @param streamId empty if not sent, which only a ticket allows
 * @param clientId as the stream's id
 * @param signature empty with a ticket
 * @param capabilities as sent, empty without
 * @param metadata the remaining parameters in the order of arrival
 */
record HandshakeQuery(
        int protocol,
        @Nullable String ticket,
        String appVersion,
        String timestamp,
        String nonce,
        String audience,
        String streamId,
        String clientId,
        String signature,
        boolean supersede,
        String capabilities,
        Map<String, String> metadata) {
    static final int OLDEST_CURRENT = 3;

    private static final int NEWEST = 4;
    private static final String METADATA_PREFIX = "m--";
    private static final Set<String> SYSTEM = Set.of(
            "pv",
            "_v",
            "appv",
            "ts",
            "nonce",
            "aud",
            "id",
            "cid",
            "signature",
            "cap",
            "supersede",
            "_supersede",
            "ticket");
    private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9._-]{16,256}");
    private static final Pattern TIMESTAMP = Pattern.compile("[0-9]{1,16}");

    /**
     * What a deployment allows.
     *
     * @param clientIdBytes of a client id and of a stream id, in UTF-8
     * @param metadataBytes of the metadata as a JSON object in UTF-8
     * @param legacy true if the protocols 1 and 2 are spoken
     */
    record Limits(int clientIdBytes, int metadataBytes, boolean legacy) {}

    HandshakeQuery {
        metadata = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    /**
     * Reads the part of the address behind the question mark, still encoded.
     *
     * @throws Refused {@code invalid-request} naming the parameter, never its value
     */
    static HandshakeQuery parse(@Nullable String query, Limits limits) {
        Map<String, String> given = parameters(query == null ? "" : query);
        int protocol = protocol(given, limits);
        Map<String, String> metadata = new LinkedHashMap<>(given);
        metadata.keySet().removeAll(SYSTEM);
        String ticket = given.get("ticket");
        if (ticket == null) {
            needProofs(given, protocol);
        } else if (given.containsKey("signature")) {
            throw Refused.invalid("send either ticket or signature");
        } else if (ticket.isEmpty() || protocol < OLDEST_CURRENT) {
            throw Refused.invalid("ticket must not be empty and needs pv 3 or 4");
        }
        HandshakeQuery parsed = new HandshakeQuery(
                protocol,
                ticket,
                text(given, "appv"),
                text(given, "ts"),
                text(given, "nonce"),
                text(given, "aud"),
                text(given, "id"),
                text(given, "cid"),
                text(given, "signature"),
                supersede(given),
                text(given, "cap"),
                metadata);
        parsed.checkLengths(limits);
        return parsed;
    }

    /** The capabilities that the client listed, without empty ones. */
    Set<String> capabilitySet() {
        Set<String> all = new LinkedHashSet<>();
        Arrays.stream(capabilities.split(",", -1))
                .map(String::strip)
                .filter(one -> !one.isEmpty())
                .forEach(all::add);
        return all;
    }

    /** What the signature covers from protocol 3 on. */
    CanonicalHandshake canonical(String path) {
        return new CanonicalHandshake(
                path,
                audience,
                appVersion,
                timestamp,
                nonce,
                streamId,
                clientId,
                Integer.toString(protocol),
                supersede,
                capabilities,
                metadata);
    }

    /** @throws Refused {@code invalid-request} if the metadata is longer than allowed */
    static void checkMetadata(Map<String, String> metadata, Limits limits) {
        if (bytes(CanonicalHandshake.object(metadata)) > limits.metadataBytes()) {
            throw Refused.invalid("the metadata must have at most " + limits.metadataBytes() + " bytes as JSON");
        }
    }

    private void checkLengths(Limits limits) {
        if (bytes(clientId) > limits.clientIdBytes() || bytes(streamId) > limits.clientIdBytes()) {
            throw Refused.invalid("cid and id must have at most " + limits.clientIdBytes() + " bytes each");
        }
        checkMetadata(metadata, limits);
    }

    private static int protocol(Map<String, String> given, Limits limits) {
        String version = given.containsKey("pv") ? given.get("pv") : given.get("_v");
        if (version == null) {
            throw Refused.invalid("pv is missing: the version of the protocol, 3 or 4");
        }
        int oldest = limits.legacy() ? 1 : OLDEST_CURRENT;
        if (version.length() != 1 || version.charAt(0) < '0' + oldest || version.charAt(0) > '0' + NEWEST) {
            throw Refused.invalid(
                    "pv must be a version of the protocol that is spoken here, from " + oldest + " to " + NEWEST);
        }
        return version.charAt(0) - '0';
    }

    private static void needProofs(Map<String, String> given, int protocol) {
        for (String name : new String[] {"id", "cid", "ts", "signature"}) {
            if (text(given, name).isEmpty()) {
                throw Refused.invalid(name + " is missing; send it, or a ticket");
            }
        }
        if (!given.containsKey("appv")) {
            throw Refused.invalid("appv is missing; it may be empty");
        }
        if (!TIMESTAMP.matcher(text(given, "ts")).matches()) {
            throw Refused.invalid("ts must be the time in milliseconds since 1970, in digits");
        }
        if (protocol >= OLDEST_CURRENT) {
            if (!NONCE.matcher(text(given, "nonce")).matches()) {
                throw Refused.invalid("nonce must be 16 to 256 characters of A-Z, a-z, 0-9, '.', '_' and '-'");
            }
            if (text(given, "aud").isEmpty()) {
                throw Refused.invalid("aud is missing: the path, or the audience of the deployment");
            }
        }
    }

    private static boolean supersede(Map<String, String> given) {
        String flag = given.containsKey("supersede") ? given.get("supersede") : text(given, "_supersede");
        return switch (flag == null ? "" : flag) {
            case "1", "true" -> true;
            case "", "0", "false" -> false;
            default -> throw Refused.invalid("supersede must be 1 or 0");
        };
    }

    /** Every parameter once, the old spelling of metadata normalised, the plain name before the old spelling. */
    private static Map<String, String> parameters(String query) {
        Map<String, String> plain = new LinkedHashMap<>();
        Map<String, String> prefixed = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
            boolean isPrefixed = name.startsWith(METADATA_PREFIX);
            String bare = isPrefixed ? name.substring(METADATA_PREFIX.length()) : name;
            // Which of two was meant, and signed, nobody can tell.
            if ((isPrefixed ? prefixed : plain).putIfAbsent(bare, value) != null) {
                throw Refused.invalid("no parameter may be sent twice");
            }
        }
        prefixed.forEach(plain::putIfAbsent);
        return plain;
    }

    private static String text(Map<String, String> given, String name) {
        return given.getOrDefault(name, "");
    }

    private static String decoded(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                bytes.write(octet(encoded, i));
                i += 2;
            } else if (c == '+') {
                bytes.write(' ');
            } else if (c > ' ' && c < 0x7f) {
                bytes.write(c);
            } else {
                throw badEncoding();
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            throw badEncoding();
        }
    }

    private static int octet(String encoded, int percent) {
        if (percent + 2 >= encoded.length()) {
            throw badEncoding();
        }
        int high = hex(encoded.charAt(percent + 1));
        int low = hex(encoded.charAt(percent + 2));
        return high * 16 + low;
    }

    /** The platform's own takes the digits of every script. */
    private static int hex(char c) {
        int digit = c < 0x7f ? Character.digit(c, 16) : -1;
        if (digit < 0) {
            throw badEncoding();
        }
        return digit;
    }

    private static Refused badEncoding() {
        return Refused.invalid("the query must be UTF-8 in percent-encoding");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
