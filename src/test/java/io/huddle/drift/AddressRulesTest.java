package io.huddle.drift;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses are given as numbers, so nothing is asked of a name server. */
class AddressRulesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "93.184.216.34",
                "8.8.8.8",
                "100.63.255.255",
                "100.128.0.1",
                "172.15.255.255",
                "172.32.0.1",
                "192.0.1.1",
                "223.255.255.255",
                "2606:2800:220:1::1",
                "2001:4860:4860::8888",
                "64:ff9b::808:808",
                "2002:808:808::1"
            })
    void publicAddress_isAllowed(String address) throws UnknownHostException {
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), false))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "169.254.169.254",
                "100.64.0.1",
                "100.127.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.1",
                "::1",
                "fe80::1",
                "fec0::1",
                "fc00::1",
                "fd12:3456::1",
                "2001:db8::1",
                "2001::1",
                "2002:a00:1::1",
                "2002:7f00:1::",
                "64:ff9b::7f00:1",
                "64:ff9b:1::1",
                "100::1",
                "::7f00:1",
                "::a00:1"
            })
    void addressThatIsNotPublic_isAllowedOnlyBySetting(String address) throws UnknownHostException {
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), false))
                .isFalse();
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), true)).isTrue();
    }

    /** Java makes an IPv4 address of a mapped one when it reads text, but not when a scope is given with its bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:192.168.0.1"})
    void mappedAddress_isJudgedByTheOneInIt(String address) throws UnknownHostException {
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), false))
                .isFalse();
        byte[] bytes = new byte[16];
        bytes[10] = (byte) 0xff;
        bytes[11] = (byte) 0xff;
        System.arraycopy(InetAddress.getByName(address.substring(7)).getAddress(), 0, bytes, 12, 4);
        InetAddress mapped = java.net.Inet6Address.getByAddress("hooks.example", bytes, 0);
        assertThat(mapped).isInstanceOf(java.net.Inet6Address.class);
        assertThat(AddressRules.isAllowed(mapped, false)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "ff02::1"})
    void addressOfNoHost_isNeverAllowed(String address) throws UnknownHostException {
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), false))
                .isFalse();
        assertThat(AddressRules.isAllowed(InetAddress.getByName(address), true)).isFalse();
    }
}
