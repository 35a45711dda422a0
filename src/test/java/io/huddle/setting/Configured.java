package io.huddle.setting;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigValue;
import org.eclipse.microprofile.config.spi.ConfigBuilder;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.config.spi.Converter;
import org.jspecify.annotations.Nullable;

/**
 * Texts under names, as the configuration of a test: no source, no converter, no expression. As the tests' resolver it
 * also stands where the server's own configuration would.
 */
public final class Configured extends ConfigProviderResolver implements Config {
    private static final ThreadLocal<Configured> CURRENT = ThreadLocal.withInitial(() -> new Configured(Map.of()));

    private final Map<String, String> texts;

    /** Found by name in {@code META-INF/services}. */
    public Configured() {
        this(Map.of());
    }

    Configured(Map<String, String> texts) {
        this.texts = texts;
    }

    /** Runs the call on this thread with these settings and no others. */
    public static void with(Map<String, String> texts, Runnable call) {
        CURRENT.set(new Configured(texts));
        try {
            call.run();
        } finally {
            CURRENT.remove();
        }
    }

    @Override
    public <T> Optional<T> getOptionalValue(String name, Class<T> type) {
        // As the specification says, an empty text is no value.
        return Optional.ofNullable(texts.get(name))
                .filter(text -> !text.isEmpty())
                .map(type::cast);
    }

    @Override
    public <T> T getValue(String name, Class<T> type) {
        return getOptionalValue(name, type).orElseThrow(() -> new NoSuchElementException(name));
    }

    @Override
    public Iterable<String> getPropertyNames() {
        return texts.keySet();
    }

    @Override
    public ConfigValue getConfigValue(String name) {
        throw new UnsupportedOperationException(name);
    }

    @Override
    public Iterable<ConfigSource> getConfigSources() {
        return List.of();
    }

    @Override
    public <T> Optional<Converter<T>> getConverter(Class<T> type) {
        return Optional.empty();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return type.cast(this);
    }

    @Override
    public Config getConfig() {
        return CURRENT.get();
    }

    @Override
    public Config getConfig(@Nullable ClassLoader loader) {
        return CURRENT.get();
    }

    @Override
    public ConfigBuilder getBuilder() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void registerConfig(Config config, ClassLoader loader) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void releaseConfig(Config config) {
        throw new UnsupportedOperationException();
    }
}
