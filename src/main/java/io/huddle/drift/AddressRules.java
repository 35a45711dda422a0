package io.huddle.drift;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;

/**
 * Which addresses a webhook may lead to. Refused unless a setting allows them: all that is not on the public internet, also
 * where an IPv4 address is hidden in an IPv6 one. The ranges are those of IANA's registries of special-purpose addresses.
 */
final class AddressRules {
    private static final int V4 = 4;
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};
    private static final byte[] TRANSLATED = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final byte[] COMPATIBLE = new byte[12];

    private AddressRules() {}

    /** Never true for what is no host's address: unspecified, multicast, broadcast. */
    static boolean isAllowed(InetAddress address, boolean allowPrivate) {
        byte[] bytes = address.getAddress();
        if (address.isAnyLocalAddress() || address.isMulticastAddress() || isBroadcast(bytes)) {
            return false;
        }
        return allowPrivate || (address instanceof Inet4Address ? isPublic4(bytes) : isPublic6(bytes));
    }

    private static boolean isBroadcast(byte[] bytes) {
        return bytes.length == V4 && (bytes[0] & 0xf0) == 0xf0;
    }

    private static boolean isPublic4(byte[] b) {
        int first = b[0] & 0xff;
        int second = b[1] & 0xff;
        int third = b[2] & 0xff;
        return switch (first) {
            case 0, 10, 127 -> false;
            case 100 -> second < 64 || second > 127;
            case 169 -> second != 254;
            case 172 -> second < 16 || second > 31;
            case 192 -> second != 168 && !(second == 0 && (third == 0 || third == 2)) && !(second == 88 && third == 99);
            case 198 -> second != 18 && second != 19 && !(second == 51 && third == 100);
            case 203 -> !(second == 0 && third == 113);
            default -> first < 224;
        };
    }

    private static boolean isPublic6(byte[] b) {
        if (startsWith(b, MAPPED) || startsWith(b, TRANSLATED) || startsWith(b, COMPATIBLE)) {
            return isPublic4(Arrays.copyOfRange(b, 12, 16));
        }
        int first = pair(b, 0);
        int second = pair(b, 2);
        if (first == 0x2002) {
            return isPublic4(Arrays.copyOfRange(b, 2, 6));
        }
        // Teredo, benchmarks, ORCHID and the like; and what stands in books.
        boolean isProtocol = first == 0x2001 && second < 0x200;
        boolean isExample = (first == 0x2001 && second == 0xdb8) || (first == 0x3fff && second < 0x1000);
        return (first & 0xe000) == 0x2000 && !isProtocol && !isExample;
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static int pair(byte[] bytes, int at) {
        return 256 * (bytes[at] & 0xff) + (bytes[at + 1] & 0xff);
    }
}
