package io.huddle.redis;

import io.huddle.web.Causes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RScript;
import org.redisson.api.RScript.Mode;
import org.redisson.api.RScript.ReturnType;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.codec.ByteArrayCodec;

/**
 * A Lua script from the file {@code /redis/<name>.lua}, which says at its head what KEYS, ARGV and the answer are. All keys
 * of a run have one tag, and the answer is always a list. Safe for use by any thread.
 */
public final class Script {
    private static final String INCLUDE = "-- include ";

    private final String name;
    private final String text;
    private final String digest;

    private Script(String name, String text) {
        this.name = name;
        this.text = text;
        this.digest = digest(text);
    }

    /**
     * Loads a script. A line {@code -- include <name>} in it stands for the text of another.
     *
     * @throws IllegalStateException if there is no such script
     */
    public static Script of(String name) {
        StringBuilder text = new StringBuilder();
        for (String line : read(name).lines().toList()) {
            text.append(line.startsWith(INCLUDE) ? read(line.substring(INCLUDE.length())) : line)
                    .append('\n');
        }
        return new Script(name, text.toString());
    }

    private static String read(String name) {
        try (InputStream file = Script.class.getResourceAsStream("/redis/" + name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException("there is no script " + name);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Runs the script, by its digest if the server knows it.
     *
     * @param arguments texts, numbers and byte arrays; texts as UTF-8, numbers as decimal digits
     * @return fails with {@link RedisUnavailable} alone
     */
    public CompletionStage<Reply> run(Redis redis, List<String> keys, Object... arguments) {
        Object[] bytes = bytes(arguments);
        return redis.<List<@Nullable Object>>call(
                        client -> evaluated(client.getScript(ByteArrayCodec.INSTANCE), List.copyOf(keys), bytes))
                .thenApply(Reply::new);
    }

    /**
     * Sends the script once, never again, and waits for so long: for what must not happen twice, and has to be undone if it
     * is answered when nobody waits for it any more.
     *
     * @return fails with {@link RedisUnavailable} alone, possibly after what {@link RedisLimits} say
     */
    public CompletionStage<Reply> runOnce(Redis redis, Duration patience, List<String> keys, Object... arguments) {
        Object[] bytes = bytes(arguments);
        OptionalOptions once = OptionalOptions.defaults()
                .codec(ByteArrayCodec.INSTANCE)
                .retryAttempts(0)
                .timeout(patience);
        return redis.<List<@Nullable Object>>callToTheEnd(
                        client -> evaluated(client.getScript(once), List.copyOf(keys), bytes))
                .thenApply(Reply::new);
    }

    private static Object[] bytes(Object[] arguments) {
        return Arrays.stream(arguments).map(Script::bytes).toArray();
    }

    private CompletionStage<List<@Nullable Object>> evaluated(RScript scripts, List<Object> keys, Object[] arguments) {
        return scripts.<List<@Nullable Object>>evalShaAsync(Mode.READ_WRITE, digest, ReturnType.LIST, keys, arguments)
                .toCompletableFuture()
                .exceptionallyCompose(thrown -> isUnknown(thrown)
                        ? scripts.evalAsync(Mode.READ_WRITE, text, ReturnType.LIST, keys, arguments)
                        : CompletableFuture.failedFuture(thrown));
    }

    private static boolean isUnknown(@Nullable Throwable thrown) {
        return thrown != null && Causes.of(thrown) instanceof RedisNoScriptException;
    }

    private static byte[] bytes(Object argument) {
        return argument instanceof byte[] already
                ? already
                : String.valueOf(argument).getBytes(StandardCharsets.UTF_8);
    }

    private static String digest(String text) {
        try {
            // Redis names scripts so; nothing is secured by it.
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha1);
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
