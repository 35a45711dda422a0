package io.huddle.security;

import java.util.Map;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * While {@code huddle.demo} is on, tells the platform's JWT feature to trust the demo's key and issuer and no other.
 *
 * <p>Off, it answers nothing, and what the operator configured holds.
 */
public class DemoConfigSource implements ConfigSource {
    private static final Set<String> NAMES = Set.of(
            "mp.jwt.verify.publickey",
            "mp.jwt.verify.publickey.location",
            "mp.jwt.verify.publickey.algorithm",
            "mp.jwt.verify.issuer",
            "mp.jwt.verify.audiences");

    @Override
    public int getOrdinal() {
        return 900;
    }

    @Override
    public Set<String> getPropertyNames() {
        return Set.of();
    }

    @Override
    public @Nullable String getValue(String name) {
        if (!NAMES.contains(name) || !isDemo()) {
            return null;
        }
        return switch (name) {
            case "mp.jwt.verify.publickey" -> DemoKey.publicPem();
            case "mp.jwt.verify.publickey.algorithm" -> "RS256";
            case "mp.jwt.verify.issuer", "mp.jwt.verify.audiences" -> DemoKey.ISSUER;
            default -> null;
        };
    }

    @Override
    public String getName() {
        return "huddle-demo";
    }

    @Override
    public Map<String, String> getProperties() {
        return Map.of();
    }

    private static boolean isDemo() {
        return ConfigProvider.getConfig()
                .getOptionalValue("huddle.demo", String.class)
                .map("true"::equals)
                .orElse(false);
    }
}
