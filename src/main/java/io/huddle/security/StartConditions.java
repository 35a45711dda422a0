package io.huddle.security;

import io.huddle.setting.Setting;
import io.huddle.web.PublicUrl;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.util.Locale;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * What must hold before the node serves.
 *
 * <p>Demo and test features start only where nobody else can reach them: every HTTP endpoint of the server must listen on
 * loopback. Asked of the running server and not of a setting, so that an added endpoint counts too. And the platform must
 * be able to verify tokens at all: it refuses every one, silently, without its key store or without a key.
 */
@ApplicationScoped
public class StartConditions {
    private static final int LEAST_PASSWORD = 6;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1");

    /** @throws IllegalStateException naming the first condition that does not hold, and what to do */
    public void check() {
        if (Setting.DEMO.isOn() || Setting.TEST_CLOCK.isOn()) {
            refuseOtherHosts();
        }
        PublicUrl.check();
        ClientKeys.check();
        IceServers.check();
        OpenId.check();
        refuseMissingKeyStore();
        refuseForeignKeyStore();
        if (!Setting.DEMO.isOn() && !has("mp.jwt.verify.publickey.location") && !has("mp.jwt.verify.publickey")) {
            throw new IllegalStateException(
                    "no key verifies tokens: set mp.jwt.verify.publickey.location (a PEM file or"
                            + " the address of a JWKS) and mp.jwt.verify.issuer, or try the product with huddle.demo=true");
        }
    }

    private static void refuseOtherHosts() {
        String configured = ConfigProvider.getConfig()
                .getOptionalValue("http.host", String.class)
                .orElse("localhost");
        refuseUnlessLoopback(configured);
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        try {
            for (ObjectName name :
                    beans.queryNames(new ObjectName("WebSphere:feature=channelfw,type=endpoint,*"), null)) {
                refuseUnlessLoopback(String.valueOf(beans.getAttribute(name, "Host")));
            }
        } catch (JMException unknown) {
            throw new IllegalStateException("the server does not tell where its endpoints listen", unknown);
        }
    }

    private static void refuseUnlessLoopback(String host) {
        if (!LOOPBACK.contains(host.toLowerCase(Locale.ROOT))) {
            throw new IllegalStateException("huddle.demo and huddle.test.clock are for loopback only, but an endpoint"
                    + " listens on '" + host + "': set http.host=localhost or switch them off");
        }
    }

    /** The platform makes no key store for a password below its least length, and then verifies no token. */
    private static void refuseMissingKeyStore() {
        String password = ConfigProvider.getConfig()
                .getOptionalValue("keystore.password", String.class)
                .orElse("");
        if (password.length() < LEAST_PASSWORD) {
            throw new IllegalStateException(
                    "keystore.password (in the environment KEYSTORE_PASSWORD) is missing or shorter than "
                            + LEAST_PASSWORD
                            + " characters: without its key store the server verifies no token at all");
        }
    }

    /** A key store that the password does not open makes the platform refuse every token, without a word in the log. */
    private static void refuseForeignKeyStore() {
        String output = System.getProperty("server.output.dir", "");
        File store = new File(output, "resources/security/key.p12");
        String password = ConfigProvider.getConfig().getValue("keystore.password", String.class);
        if (!store.isFile()) {
            return;
        }
        try {
            KeyStore.getInstance(store, password.toCharArray());
        } catch (IOException | GeneralSecurityException unreadable) {
            if (unreadable.getCause() instanceof UnrecoverableKeyException) {
                throw new IllegalStateException("keystore.password does not open " + store
                        + ": give the password it was made with, or remove it");
            }
        }
    }

    private static boolean has(String property) {
        return ConfigProvider.getConfig()
                .getOptionalValue(property, String.class)
                .isPresent();
    }
}
