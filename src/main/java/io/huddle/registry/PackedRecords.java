package io.huddle.registry;

import io.huddle.redis.Reply;
import io.huddle.registry.ClientRecord.State;
import io.huddle.web.Utf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records as they lie in Redis: each field as its length in bytes, a colon and its bytes, so that a script finds the fields it
 * needs and looks into no other. The layout is told in {@code redis/registry/shard.lua}. Pure.
 */
final class PackedRecords {
    private static final String VERSION = "h1";
    private static final int FIELDS = 12;

    private PackedRecords() {}

    /** What no script looks into: session, generation, teams. */
    static byte[] rest(Registration registration) {
        List<String> fields = new ArrayList<>();
        // One character tells no session from an empty one.
        fields.add(registration.session() == null ? "" : "s" + registration.session());
        fields.add(Long.toString(registration.generation()));
        fields.addAll(registration.teams());
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (String field : fields) {
            byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
            packed.writeBytes((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            packed.writeBytes(bytes);
        }
        return packed.toByteArray();
    }

    /** What session and teams count for in the account of the orphan queue, where scripts know the rest. */
    static int weight(Registration registration) {
        int weight = registration.session() == null ? 0 : Utf8.exactLength(registration.session());
        for (String team : registration.teams()) {
            weight += Utf8.exactLength(team);
        }
        return weight;
    }

    /** The record, empty if it cannot be read. */
    static Optional<ClientRecord> read(String clientId, byte[] packed) {
        List<byte[]> fields = unpacked(packed);
        if (fields == null || fields.size() != FIELDS || !VERSION.equals(text(fields.get(0)))) {
            return Optional.empty();
        }
        List<byte[]> rest = unpacked(fields.get(10));
        State state = state(text(fields.get(4)));
        if (rest == null || rest.size() < 2 || state == null) {
            return Optional.empty();
        }
        String session = text(rest.get(0));
        try {
            return Optional.of(new ClientRecord(
                    clientId,
                    number(fields.get(1)),
                    text(fields.get(2)),
                    text(fields.get(3)),
                    state,
                    number(fields.get(5)),
                    session.isEmpty() ? null : session.substring(1),
                    number(rest.get(1)),
                    rest.subList(2, rest.size()).stream()
                            .map(PackedRecords::text)
                            .toList(),
                    number(fields.get(6)),
                    text(fields.get(7)),
                    number(fields.get(8)),
                    text(fields.get(11))));
        } catch (NumberFormatException notANumber) {
            return Optional.empty();
        }
    }

    /** Client ids and records in turn, as a script lists them. */
    static List<ClientRecord> read(Reply listed) {
        List<ClientRecord> records = new ArrayList<>();
        for (int i = 0; i + 1 < listed.size(); i += 2) {
            read(listed.text(i), listed.bytes(i + 1)).ifPresent(records::add);
        }
        return records;
    }

    /** The same, packed once more. What cannot be read is left out. */
    static List<ClientRecord> readAll(byte[] packed) {
        List<ClientRecord> records = new ArrayList<>();
        List<byte[]> listed = unpacked(packed);
        if (listed != null) {
            for (int i = 0; i + 1 < listed.size(); i += 2) {
                read(text(listed.get(i)), listed.get(i + 1)).ifPresent(records::add);
            }
        }
        return records;
    }

    /** The fields, null if it is no sequence of fields. */
    private static @Nullable List<byte[]> unpacked(byte[] packed) {
        List<byte[]> fields = new ArrayList<>();
        int at = 0;
        while (at < packed.length) {
            long length = 0;
            int digits = 0;
            while (at < packed.length && packed[at] >= '0' && packed[at] <= '9' && digits < 10) {
                length = length * 10 + packed[at] - '0';
                at++;
                digits++;
            }
            if (digits == 0 || at == packed.length || packed[at] != ':' || length > packed.length - at - 1) {
                return null;
            }
            fields.add(Arrays.copyOfRange(packed, at + 1, at + 1 + (int) length));
            at += 1 + (int) length;
        }
        return fields;
    }

    private static @Nullable State state(String letter) {
        return switch (letter) {
            case "A" -> State.ACTIVE;
            case "P" -> State.PENDING;
            default -> null;
        };
    }

    private static long number(byte[] digits) {
        return Long.parseLong(text(digits));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
