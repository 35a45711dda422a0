package io.huddle.redis;

import io.huddle.setting.Setting;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

/**
 * The one connection of this node to Redis. Safe for use by any thread; nothing here blocks.
 *
 * <p>It connects when it is first used, not when it is made, so that a node starts while Redis is down; an attempt that
 * fails is followed by another at the next use, and a connection that was lost is found again by itself. Whatever goes
 * wrong is a {@link RedisUnavailable} within {@code huddle.redis.timeout-ms}. While the application is starting the server
 * runs nothing in the background: whoever waited for Redis there would wait in vain.
 *
 * <p>Stages are completed on the threads that read from Redis: what follows on them must not block, or it blocks every
 * other operation.
 */
@ApplicationScoped
public class Redis implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(Redis.class.getName());
    private static final String NAMESPACE = "[A-Za-z0-9._-]{1,128}";
    private static final Duration RETRY_DELAY = Duration.ofMillis(100);

    /** A server that vanished without closing its connections is noticed after this and one timeout. */
    private static final int PING_MS = 3_000;

    private static final Duration RECONNECTION_DELAY = Duration.ofMillis(250);
    private static final int CLUSTER_SCAN_MS = 1_000;
    private static final int SHUTDOWN_SECONDS = 2;
    private static final int LONGEST_REASON = 200;

    @Resource
    private @Nullable ManagedExecutorService threads;

    private final Object lock = new Object();
    private final AtomicBoolean answering = new AtomicBoolean(true);
    private @Nullable RedisAddress address;
    private String namespace = "";
    private RedisLimits limits = RedisLimits.DEFAULT;

    /** Guarded by the lock: the attempt under way, or the connection. Failed ones are replaced. */
    private @Nullable CompletableFuture<RedissonClient> connection;

    private boolean closed;

    /** For the container. */
    public Redis() {}

    /** One outside of the container. */
    public Redis(String url, String namespace, RedisLimits limits) {
        configure(url, namespace, limits);
    }

    @PostConstruct
    void configure() {
        configure(Setting.text("huddle.redis.url"), Setting.text("huddle.mesh.namespace"), RedisLimits.configured());
    }

    private void configure(String url, String prefix, RedisLimits bounds) {
        if (!prefix.isEmpty() && !prefix.matches(NAMESPACE)) {
            throw new IllegalStateException("huddle.mesh.namespace must be of at most 128 letters, digits and -_.");
        }
        namespace = prefix.isEmpty() ? "huddle" : prefix;
        limits = bounds;
        address = url.isEmpty() ? null : RedisAddress.parse(url);
    }

    /** True if there is a Redis to speak to; without one every operation fails. */
    public boolean isConfigured() {
        return address != null;
    }

    /** True unless the last operation failed. */
    public boolean isAnswering() {
        return answering.get();
    }

    /**
     * A key of this deployment.
     *
     * @param tag all keys of one tag lie on the same server of a cluster, so that one script may use them together
     */
    public String key(String tag, String name) {
        return namespace + ":{" + tag + "}:" + name;
    }

    /**
     * Does something with the client library; its failure, or its silence, is a {@link RedisUnavailable}. If there is no
     * connection before the time is over it is not done at all.
     */
    public <T> CompletionStage<T> call(Function<RedissonClient, CompletionStage<T>> operation) {
        return inTime(begun(operation));
    }

    /**
     * The same with no deadline but the library's own: for what has to be undone if its answer comes when nobody waits for it
     * any more.
     */
    public <T> CompletionStage<T> callToTheEnd(Function<RedissonClient, CompletionStage<T>> operation) {
        CompletableFuture<T> answer = begun(operation);
        // Whether Redis answers is judged by the same time as everywhere.
        CompletionStage<T> unused = inTime(answer);
        return answer.handle((value, thrown) -> {
            if (thrown != null) {
                throw failure(thrown);
            }
            found();
            return value;
        });
    }

    private <T> CompletableFuture<T> begun(Function<RedissonClient, CompletionStage<T>> operation) {
        long asked = System.nanoTime();
        return connected().thenCompose(client -> {
            if (System.nanoTime() - asked > TimeUnit.MILLISECONDS.toNanos(limits.timeoutMs())) {
                // Whoever asked was told that it has failed.
                return CompletableFuture.failedFuture(new RedisUnavailable("no connection in time"));
            }
            return operation.apply(client).toCompletableFuture();
        });
    }

    private <T> CompletionStage<T> inTime(CompletableFuture<T> answer) {
        // A copy: the deadline must not complete what the library itself still means to complete.
        return answer.copy()
                .orTimeout(limits.timeoutMs(), TimeUnit.MILLISECONDS)
                .handle((value, thrown) -> {
                    if (thrown != null) {
                        throw lost(thrown);
                    }
                    found();
                    return value;
                });
    }

    /** Ends the connection; what is still asked of it fails. */
    @PreDestroy
    @Override
    public void close() {
        CompletableFuture<RedissonClient> last;
        synchronized (lock) {
            closed = true;
            last = connection;
            connection = null;
        }
        if (last != null) {
            CompletableFuture<Void> unused = last.thenAccept(Redis::shutDown);
        }
    }

    private CompletableFuture<RedissonClient> connected() {
        RedisAddress to = address;
        if (to == null) {
            return CompletableFuture.failedFuture(new RedisUnavailable("no Redis is configured"));
        }
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(new RedisUnavailable("the connection to Redis was closed"));
            }
            CompletableFuture<RedissonClient> current = connection;
            if (current == null || current.isCompletedExceptionally()) {
                current = connect(to);
                connection = current;
            }
            return current;
        }
    }

    private CompletableFuture<RedissonClient> connect(RedisAddress to) {
        Executor own = threads;
        try {
            return CompletableFuture.supplyAsync(
                    () -> Redisson.create(config(to)), own == null ? ForkJoinPool.commonPool() : own);
        } catch (RejectedExecutionException overloaded) {
            return CompletableFuture.failedFuture(new RedisUnavailable("no thread to connect to Redis"));
        }
    }

    private Config config(RedisAddress to) {
        Config config = new Config();
        config.setThreads(limits.threads());
        config.setNettyThreads(limits.nettyThreads());
        // Nobody uses the default, which serialises objects and brings libraries of its own.
        config.setCodec(ByteArrayCodec.INSTANCE);
        config.setTcpNoDelay(true);
        config.setTcpKeepAlive(true);
        config.setUsername(to.user());
        config.setPassword(to.password());
        int connections = limits.connections();
        if (to.isCluster()) {
            // Never from a replica: it may not know yet what its master has said.
            bounded(config.useClusterServers())
                    .addNodeAddress(to.nodes().toArray(String[]::new))
                    .setScanInterval(CLUSTER_SCAN_MS)
                    .setReadMode(ReadMode.MASTER)
                    .setSubscriptionMode(SubscriptionMode.MASTER)
                    .setMasterConnectionPoolSize(connections)
                    .setMasterConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionPoolSize(4)
                    .setSubscriptionConnectionMinimumIdleSize(1);
        } else {
            bounded(config.useSingleServer())
                    .setAddress(to.nodes().get(0))
                    .setConnectionPoolSize(connections)
                    .setConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionPoolSize(4)
                    .setSubscriptionConnectionMinimumIdleSize(1);
        }
        return config;
    }

    private <T extends BaseConfig<T>> T bounded(T servers) {
        return servers.setConnectTimeout(limits.connectMs())
                .setTimeout(limits.attemptMs())
                .setSubscriptionTimeout(limits.timeoutMs())
                .setRetryAttempts(limits.retries())
                .setRetryDelay(new ConstantDelay(RETRY_DELAY))
                .setReconnectionDelay(new ConstantDelay(RECONNECTION_DELAY))
                .setPingConnectionInterval(PING_MS);
    }

    private static void shutDown(RedissonClient client) {
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    }

    private void found() {
        // Read first: this runs for every answer, and a write would be shared by all threads.
        if (!answering.get() && !answering.getAndSet(true)) {
            LOG.info("Redis answers again");
        }
    }

    private RedisUnavailable lost(Throwable thrown) {
        RedisUnavailable failure = failure(thrown);
        if (isConfigured() && answering.getAndSet(false)) {
            LOG.log(Level.WARNING, "Redis does not answer: {0}", failure.getMessage());
        }
        return failure;
    }

    private static RedisUnavailable failure(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof RedisUnavailable already) {
            return already;
        }
        if (cause instanceof TimeoutException || cause instanceof RedisTimeoutException) {
            return new RedisUnavailable("no answer in time");
        }
        String name = cause.getClass().getSimpleName();
        return new RedisUnavailable(cause instanceof RedisException ? name + ": " + reason(cause) : name);
    }

    /** What the server said, without the command and the arguments that the library adds. */
    private static String reason(Throwable thrown) {
        String message = String.valueOf(thrown.getMessage());
        int added = message.indexOf("channel: [");
        String said = added < 0 ? message : message.substring(0, added);
        return said.contains("params:") ? "" : said.substring(0, Math.min(said.length(), LONGEST_REASON));
    }
}
