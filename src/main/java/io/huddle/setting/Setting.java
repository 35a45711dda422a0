package io.huddle.setting;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * A whole-number setting: MicroProfile Config name, default and inclusive bounds. The unit stands in the name, last.
 *
 * <p>Safe for use by any thread. Beans read their settings once, when they are made.
 */
public enum Setting {
    DEMO("huddle.demo", 0, 0, 1),
    TEST_CLOCK("huddle.test.clock", 0, 0, 1),

    BODY_BYTES("huddle.limits.body-bytes", 65_536, 1_024, 1_048_576),
    METADATA_BODY_BYTES("huddle.limits.metadata-body-bytes", 81_920, 1_024, 1_048_576),
    LABEL_LENGTH("huddle.limits.label-length", 80, 1, 200),
    OCCURRENCE_LENGTH("huddle.limits.occurrence-length", 200, 1, 200),
    PAGE_SIZE("huddle.limits.page-size", 200, 1, 1_000),
    REQUESTS_PER_SECOND("huddle.limits.requests-per-second", 100, 1, 100_000),
    REQUEST_BURST("huddle.limits.request-burst", 300, 1, 1_000_000),
    RENEWALS_PER_SECOND("huddle.limits.renewals-per-second", 10, 1, 1_000),
    RENEWAL_BURST("huddle.limits.renewal-burst", 20, 1, 10_000),

    MESH_SHARDS("huddle.mesh.shards", 64, 1, 256),
    MESH_ROUTES("huddle.mesh.routes", 100_000, 0, 10_000_000),

    HEARTBEAT_SECONDS("huddle.room.heartbeat-seconds", 5, 1, 30),
    LEASE_SECONDS("huddle.room.lease-seconds", 15, 5, 120),
    SUSPENDED_LEASE_SECONDS("huddle.room.suspended-lease-seconds", 120, 30, 900),
    MAX_PARTICIPANTS("huddle.room.max-participants", 50, 1, 200),
    IDLE_CLOSE_SECONDS("huddle.room.idle-close-seconds", 43_200, 60, 2_592_000),
    CLOSE_RECOVERY_SECONDS("huddle.room.close-recovery-seconds", 2, 1, 60),

    SWEEP_INTERVAL_MS("huddle.sweep.interval-ms", 250, 50, 1_000),
    OUTAGE_LIMIT_MS("huddle.sweep.outage-limit-ms", 2_000, 1_500, 30_000),

    RENEWAL_LINGER_MS("huddle.renewals.linger-ms", 2, 0, 50),
    RENEWAL_BATCH("huddle.renewals.batch", 256, 1, 4_096),
    RENEWAL_QUEUE("huddle.renewals.queue", 10_000, 16, 1_000_000),
    RENEWAL_WRITERS("huddle.renewals.writers", 2, 1, 16),
    RENEWAL_SLOW_PATH("huddle.renewals.slow-path", 4, 1, 64),

    EVENT_POLL_MS("huddle.events.poll-ms", 500, 50, 1_000),
    EVENT_SUBSCRIBERS("huddle.events.subscribers", 2_000, 1, 100_000),
    EVENT_SEND_TIMEOUT_SECONDS("huddle.events.send-timeout-seconds", 10, 1, 120),
    EVENT_KEEP_ALIVE_SECONDS("huddle.events.keep-alive-seconds", 15, 1, 120),
    EVENT_ACK_TIMEOUT_SECONDS("huddle.events.ack-timeout-seconds", 10, 1, 120),
    EVENT_ROOMS_A_STREAM("huddle.events.rooms-a-stream", 32, 1, 1_000),

    SIGNAL_PAYLOAD_BYTES("huddle.signal.payload-bytes", 65_536, 1_024, 1_048_576),
    SIGNALS_PER_SECOND("huddle.signal.per-second", 200, 1, 100_000),
    SIGNAL_BURST("huddle.signal.burst", 2_000, 1, 1_000_000),
    SIGNAL_ACK_MS("huddle.signal.ack-ms", 5_000, 100, 30_000),

    STREAMS("huddle.stream.streams", 10_000, 1, 1_000_000),
    STREAM_HANDSHAKES("huddle.stream.pending-handshakes", 128, 1, 10_000),
    STREAM_MESSAGE_BYTES("huddle.stream.message-bytes", 8_388_608, 1_024, 67_108_864),
    STREAM_BUFFER_BYTES("huddle.stream.buffer-bytes", 8_388_608, 65_536, 67_108_864),
    STREAM_QUEUED_REQUESTS("huddle.stream.queued-requests", 128, 1, 10_000),
    STREAM_REQUESTS("huddle.stream.requests", 64, 1, 10_000),
    STREAM_CALLS("huddle.stream.calls", 128, 1, 10_000),
    STREAM_SILENCE_SECONDS("huddle.stream.silence-seconds", 75, 1, 3_600),
    STREAM_LIVENESS_SECONDS("huddle.stream.liveness-seconds", 15, 1, 600),
    STREAM_SEND_TIMEOUT_SECONDS("huddle.stream.send-timeout-seconds", 30, 1, 600),
    STREAM_LATE_REPLY_SECONDS("huddle.stream.late-reply-seconds", 60, 1, 600),
    STREAM_DISCONNECT_ON_TIMEOUT("huddle.stream.disconnect-on-request-timeout", 1, 0, 1),
    STREAM_UNCLAIMED_BYTES("huddle.stream.unclaimed-bytes", 2_097_152, 1_024, 67_108_864),
    STREAM_UNCLAIMED_IDS("huddle.stream.unclaimed-ids", 1_024, 1, 65_536),
    STREAM_UNCLAIMED_SECONDS("huddle.stream.unclaimed-seconds", 5, 1, 600),
    STREAM_PAUSE_SECONDS("huddle.stream.pause-seconds", 30, 1, 60),
    STREAM_PAUSED_READERS("huddle.stream.paused-readers", 64, 0, 10_000),
    STREAM_DRAIN_SPREAD_MS("huddle.stream.drain-spread-ms", 5_000, 0, 60_000),
    STREAM_TRAFFIC_LOG("huddle.stream.traffic-log", 0, 0, 1),
    STREAM_TRAFFIC_BODIES("huddle.stream.traffic-bodies", 0, 0, 1),
    LEGACY_PROTOCOLS("huddle.stream.legacy-protocols", 0, 0, 1),
    CLOCK_DRIFT_SECONDS("huddle.stream.clock-drift-seconds", 30, 1, 300),
    TICKET_SECONDS("huddle.stream.ticket-seconds", 30, 1, 300),
    CLIENT_ID_BYTES("huddle.stream.client-id-bytes", 1_024, 128, 1_024),
    CLIENT_METADATA_BYTES("huddle.stream.metadata-bytes", 65_536, 1_024, 1_048_576),

    MESH_ALLOW_PLAIN("huddle.mesh.allow-plain", 0, 0, 1),
    MESH_PEERS("huddle.mesh.max-peers", 64, 1, 1_024),
    MESH_FRAME_BYTES("huddle.mesh.frame-bytes", 8_388_608, 65_536, 67_108_864),
    MESH_BUFFER_BYTES("huddle.mesh.buffer-bytes", 16_777_216, 131_072, 268_435_456),
    MESH_CALLS("huddle.mesh.calls", 4_096, 1, 100_000),
    MESH_INBOUND_CALLS("huddle.mesh.inbound-calls", 16_384, 1, 1_000_000),
    MESH_INBOUND_BYTES("huddle.mesh.inbound-bytes", 67_108_864, 131_072, 1_073_741_824),
    MESH_CONNECT_MS("huddle.mesh.connect-ms", 5_000, 100, 60_000),
    MESH_PING_MS("huddle.mesh.ping-ms", 2_000, 100, 60_000),
    MESH_MISSED_PINGS("huddle.mesh.missed-pings", 3, 2, 100),
    MESH_IDLE_SECONDS("huddle.mesh.idle-seconds", 60, 1, 86_400),
    MESH_REMEMBERED_SECONDS("huddle.mesh.remembered-seconds", 60, 1, 600),
    MESH_REMEMBERED_BYTES("huddle.mesh.remembered-bytes", 4_194_304, 65_536, 268_435_456),
    MESH_WINDOW_BYTES("huddle.mesh.window-bytes", 1_048_576, 65_536, 16_777_216),
    MESH_STREAMS("huddle.mesh.streams", 1_024, 1, 65_536),
    REDIS_CONNECT_TIMEOUT_MS("huddle.redis.connect-timeout-ms", 2_000, 100, 30_000),
    REDIS_TIMEOUT_MS("huddle.redis.timeout-ms", 1_000, 100, 30_000),
    REDIS_RETRIES("huddle.redis.retries", 1, 0, 3),
    REDIS_CONNECTIONS("huddle.redis.connections", 8, 1, 64),
    REDIS_THREADS("huddle.redis.threads", 4, 1, 64),
    REDIS_NETTY_THREADS("huddle.redis.netty-threads", 2, 1, 64),

    TURN_TTL_SECONDS("huddle.ice.turn-ttl-seconds", 43_200, 60, 604_800),

    MESH_HEARTBEAT_MS("huddle.mesh.heartbeat-ms", 3_000, 100, 30_000),
    MESH_LEASE_MS("huddle.mesh.lease-ms", 9_000, 1_000, 120_000),
    MESH_BROADCAST_HANDLERS("huddle.mesh.broadcast-handlers", 16, 1, 1_000),

    FENCE_INTERVAL_MS("huddle.presence.fence-interval-ms", 1_000, 100, 1_500),
    OBSERVATION_FRESH_SECONDS("huddle.observations.fresh-seconds", 30, 5, 600),
    OBSERVATION_AGE_SECONDS("huddle.observations.max-age-seconds", 300, 5, 86_400),
    OBSERVATION_AHEAD_SECONDS("huddle.observations.max-ahead-seconds", 30, 0, 300),
    OBSERVATION_PARTICIPANTS("huddle.observations.participants", 200, 1, 1_000),
    OBSERVATION_SOURCES("huddle.observations.sources", 8, 1, 100),
    COMPARISON_WINDOW_SECONDS("huddle.shadow.window-seconds", 15, 1, 600),
    FALSE_REMOVAL_SECONDS("huddle.presence.false-removal-seconds", 30, 1, 3_600),
    DATABASE_SILENCE_MS("huddle.health.database-silence-ms", 6_000, 1_000, 60_000),

    ALERT_WINDOW_SECONDS("huddle.alerts.window-seconds", 15, 1, 300),
    ALERT_SUSPECTS("huddle.alerts.suspects", 3, 2, 200),
    ALERT_REJECTIONS("huddle.alerts.rejections", 5, 1, 10_000),
    ALERT_DIVERGENT_WINDOWS("huddle.alerts.divergent-windows", 3, 1, 20),
    ALERT_OF_WINDOWS("huddle.alerts.of-windows", 4, 1, 20),
    ALERT_CLEAN_WINDOWS("huddle.alerts.clean-windows", 2, 1, 20),
    ALERT_PAGE_ROOMS("huddle.alerts.page-rooms", 3, 1, 1_000),
    ALERT_PAGE_WINDOWS("huddle.alerts.page-windows", 4, 0, 100),
    WEBHOOK_ALLOW_PRIVATE("huddle.alerts.webhook.allow-private", 0, 0, 1),
    WEBHOOK_TRIES("huddle.alerts.webhook.tries", 10, 1, 20),
    WEBHOOK_TIMEOUT_MS("huddle.alerts.webhook.timeout-ms", 10_000, 100, 30_000),
    OBJECTIVE_GHOST_SECONDS("huddle.objectives.ghost-seconds", 20, 1, 3_600),
    OBJECTIVE_GHOSTS_PPM("huddle.objectives.ghosts-ppm", 1_000, 1, 1_000_000),
    OBJECTIVE_FALSE_REMOVALS_PPM("huddle.objectives.false-removals-ppm", 1_000, 1, 1_000_000),

    ALERT_RETENTION_HOURS("huddle.retention.alerts-hours", 2_160, 1, 87_600),
    DRIFT_RETENTION_HOURS("huddle.retention.drift-hours", 24, 1, 8_760),
    ROOM_RETENTION_HOURS("huddle.retention.rooms-hours", 720, 24, 87_600),
    EVENT_RETENTION_HOURS("huddle.retention.events-hours", 720, 1, 87_600),
    RETENTION_INTERVAL_SECONDS("huddle.retention.interval-seconds", 300, 1, 86_400);

    /** The settings that are text: an address, a list of origins, a claim's name, a secret. Each is checked by its one reader. */
    public static final Set<String> TEXT = Set.of(
            "huddle.public-url",
            "huddle.origins",
            "huddle.jwt.subject-claim",
            "huddle.stream.audience",
            "huddle.keys.secret",
            "huddle.mesh.url",
            "huddle.mesh.secret",
            "huddle.redis.url",
            "huddle.mesh.namespace",
            "huddle.alerts.webhook.url",
            "huddle.alerts.webhook.secret",
            "huddle.observations.roster-source",
            "huddle.ice.stun-urls",
            "huddle.ice.turn-urls",
            "huddle.ice.turn-secret");

    private final String key;
    private final int byDefault;
    private final int least;
    private final int most;

    Setting(String key, int byDefault, int least, int most) {
        this.key = key;
        this.byDefault = byDefault;
        this.least = least;
        this.most = most;
    }

    public String key() {
        return key;
    }

    public int byDefault() {
        return byDefault;
    }

    public int least() {
        return least;
    }

    public int most() {
        return most;
    }

    /** True for the settings that are written {@code true} or {@code false}. */
    public boolean isSwitch() {
        return least == 0 && most == 1;
    }

    /**
     * The configured value, or the default.
     *
     * @throws IllegalStateException if it is no whole number or out of bounds; the message names setting and bounds
     */
    public int value() {
        return value(ConfigProvider.getConfig());
    }

    int value(Config config) {
        String text = config.getOptionalValue(key, String.class).orElse("").trim();
        if (text.isEmpty()) {
            return byDefault;
        }
        if (isSwitch()) {
            return onOrOff(text);
        }
        int value;
        try {
            value = Integer.parseInt(text);
        } catch (NumberFormatException notANumber) {
            throw outOfBounds(text, notANumber);
        }
        if (value < least || value > most) {
            throw outOfBounds(text, null);
        }
        return value;
    }

    /** True if this switch is on. */
    public boolean isOn() {
        return value() == 1;
    }

    /** A text setting, empty if it is not set. */
    public static String text(String key) {
        if (!TEXT.contains(key)) {
            throw new IllegalArgumentException("no text setting is called " + key);
        }
        return ConfigProvider.getConfig()
                .getOptionalValue(key, String.class)
                .orElse("")
                .trim();
    }

    /**
     * Reads every setting once, so that a wrong one stops the start and not the first request that needs it.
     *
     * @throws IllegalStateException naming the first setting that is wrong
     */
    public static void checkAll() {
        Config config = ConfigProvider.getConfig();
        for (Setting setting : values()) {
            setting.value(config);
        }
        if (LEASE_SECONDS.value(config) < 3 * HEARTBEAT_SECONDS.value(config)) {
            throw new IllegalStateException(LEASE_SECONDS.key + " must be at least three times " + HEARTBEAT_SECONDS.key
                    + ", otherwise one lost renewal removes a member");
        }
        if (MESH_LEASE_MS.value(config) < 2 * MESH_HEARTBEAT_MS.value(config) + 500) {
            throw new IllegalStateException(MESH_LEASE_MS.key + " must be at least twice " + MESH_HEARTBEAT_MS.key
                    + " and 500 more, otherwise one lost heartbeat fences the node");
        }
        if (ALERT_DIVERGENT_WINDOWS.value(config) > ALERT_OF_WINDOWS.value(config)) {
            throw new IllegalStateException(ALERT_DIVERGENT_WINDOWS.key + " must not be more than "
                    + ALERT_OF_WINDOWS.key + ", otherwise no alert is ever raised");
        }
        unknown(config).ifPresent(name -> {
            throw new IllegalStateException(name + " is no setting of Huddle; the README lists them all");
        });
    }

    /**
     * A name of ours that is no setting. Names that the platform derived from an environment variable do not count: it
     * lists HUDDLE_SWEEP_INTERVAL_MS as huddle.sweep.interval.ms, and a cluster sets HUDDLE_SERVICE_HOST by itself.
     */
    private static Optional<String> unknown(Config config) {
        Set<String> known = Arrays.stream(values()).map(setting -> setting.key).collect(Collectors.toSet());
        for (String name : config.getPropertyNames()) {
            boolean ours = name.startsWith("huddle.") && System.getenv(environment(name)) == null;
            if (ours && !known.contains(name) && !TEXT.contains(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /** The environment variable that sets this key. */
    private static String environment(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    private int onOrOff(String text) {
        if (text.equals("true")) {
            return 1;
        }
        if (text.equals("false")) {
            return 0;
        }
        throw new IllegalStateException(key + " is '" + text + "' but must be true or false");
    }

    private IllegalStateException outOfBounds(String text, @org.jspecify.annotations.Nullable Throwable cause) {
        return new IllegalStateException(
                key + " is '" + text + "' but must be a whole number from " + least + " to " + most, cause);
    }
}
