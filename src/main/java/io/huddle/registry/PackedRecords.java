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

    /** So many are a long, whichever they are. */
    private static final int SURE_DIGITS = 18;

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
        return read(clientId, Fields.of(packed, 0, packed.length));
    }

    private static Optional<ClientRecord> read(String clientId, @Nullable Fields fields) {
        if (fields == null || fields.count() != FIELDS || !VERSION.equals(fields.text(0))) {
            return Optional.empty();
        }
        Fields rest = fields.within(10);
        State state = state(fields.text(4));
        if (rest == null || rest.count() < 2 || state == null) {
            return Optional.empty();
        }
        String session = rest.text(0);
        List<String> teams = new ArrayList<>();
        for (int i = 2; i < rest.count(); i++) {
            teams.add(rest.text(i));
        }
        try {
            return Optional.of(new ClientRecord(
                    clientId,
                    fields.number(1),
                    fields.text(2),
                    fields.text(3),
                    state,
                    fields.number(5),
                    session.isEmpty() ? null : session.substring(1),
                    rest.number(1),
                    List.copyOf(teams),
                    fields.number(6),
                    fields.text(7),
                    fields.number(8),
                    fields.text(11)));
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
        Fields listed = Fields.of(packed, 0, packed.length);
        if (listed != null) {
            for (int i = 0; i + 1 < listed.count(); i += 2) {
                read(listed.text(i), listed.within(i + 1)).ifPresent(records::add);
            }
        }
        return records;
    }

    /** How many there are, readable or not. */
    static int count(byte[] packed) {
        Fields listed = Fields.of(packed, 0, packed.length);
        return listed == null ? 0 : listed.count() / 2;
    }

    private static @Nullable State state(String letter) {
        return switch (letter) {
            case "A" -> State.ACTIVE;
            case "P" -> State.PENDING;
            default -> null;
        };
    }

    /** Where the fields of a packed text lie in it: none is copied before it is asked for. */
    private static final class Fields {
        private final byte[] packed;
        private int[] bounds = new int[2 * FIELDS];
        private int count;

        private Fields(byte[] packed) {
            this.packed = packed;
        }

        /** Null if it is no sequence of fields. */
        static @Nullable Fields of(byte[] packed, int from, int to) {
            Fields fields = new Fields(packed);
            int at = from;
            while (at < to) {
                long length = 0;
                int digits = 0;
                while (at < to && packed[at] >= '0' && packed[at] <= '9' && digits < 10) {
                    length = length * 10 + packed[at] - '0';
                    at++;
                    digits++;
                }
                if (digits == 0 || at == to || packed[at] != ':' || length > to - at - 1) {
                    return null;
                }
                fields.add(at + 1, at + 1 + (int) length);
                at += 1 + (int) length;
            }
            return fields;
        }

        private void add(int from, int to) {
            if (2 * count == bounds.length) {
                bounds = Arrays.copyOf(bounds, 2 * bounds.length);
            }
            bounds[2 * count] = from;
            bounds[2 * count + 1] = to;
            count++;
        }

        int count() {
            return count;
        }

        /** What is packed in a field. */
        @Nullable
        Fields within(int field) {
            return of(packed, bounds[2 * field], bounds[2 * field + 1]);
        }

        String text(int field) {
            int from = bounds[2 * field];
            return new String(packed, from, bounds[2 * field + 1] - from, StandardCharsets.UTF_8);
        }

        /** @throws NumberFormatException for anything but digits that make a long */
        long number(int field) {
            int from = bounds[2 * field];
            int to = bounds[2 * field + 1];
            if (to - from > SURE_DIGITS) {
                return Long.parseLong(text(field));
            }
            long number = 0;
            for (int at = from; at < to; at++) {
                int digit = packed[at] - '0';
                if (digit < 0 || digit > 9) {
                    return Long.parseLong(text(field));
                }
                number = number * 10 + digit;
            }
            if (from == to) {
                throw new NumberFormatException("no digits");
            }
            return number;
        }
    }
}
