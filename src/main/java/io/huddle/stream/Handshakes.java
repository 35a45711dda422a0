package io.huddle.stream;

import io.huddle.membership.Membership;
import io.huddle.membership.MembershipBackend;
import io.huddle.registry.NonceUse;
import io.huddle.registry.RegistryBackend;
import io.huddle.security.ClientKeys;
import io.huddle.security.Identity;
import io.huddle.security.Nonces;
import io.huddle.security.Tickets;
import io.huddle.setting.Setting;
import io.huddle.store.Database;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.store.Failure;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Origins;
import io.huddle.web.PublicUrl;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.wire.CanonicalHandshake;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Who may open a stream. Safe for use by any thread that may block; asks the database two to five times.
 *
 * <p>To be asked once there is room for one more stream: a ticket that was shown is used up, and so is a nonce. Source: the
 * handshake of the stream's protocol.
 */
@ApplicationScoped
public class Handshakes {
    private static final Logger LOG = Logger.getLogger(Handshakes.class.getName());
    private static final String NO_REGISTRY = "the registry of clients does not answer; try again";
    private static final long REGISTRY_PATIENCE_MS = 2_000;
    private static final String CLIENT_FORM = "c-";

    /** Signs for who has no key, so that an unknown client costs as long as a known one. */
    private static final List<String> NOBODYS = List.of("a secret that signs nothing");

    @Inject
    private Tickets tickets;

    @Inject
    private ClientKeys keys;

    @Inject
    private Nonces nonces;

    @Inject
    private RegistryBackend registry;

    @Inject
    private Membership membership;

    @Inject
    private MembershipBackend nodes;

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Instance<Authorizer> authorizers;

    private final Set<String> origins = Origins.configured();
    private final Optional<String> publicOrigin = PublicUrl.origin();
    private final String audience = Setting.text("huddle.stream.audience");
    private final long driftMs = 1_000L * Setting.CLOCK_DRIFT_SECONDS.value();
    private final HandshakeQuery.Limits limits = new HandshakeQuery.Limits(
            Setting.CLIENT_ID_BYTES.value(), Setting.CLIENT_METADATA_BYTES.value(), Setting.LEGACY_PROTOCOLS.isOn());

    private record Proven(Identity identity, String clientId, boolean supersede) {}

    /**
     * Judges an upgrade request.
     *
     * @param path as requested, without the query; the signature covers it
     * @param query what follows the question mark, still encoded; null without
     * @param origin the header Origin; null without, as from any client but a browser
     * @param own the origin that the request came to, such as {@code https://huddle.example}
     * @throws Refused {@code invalid-request} if malformed; {@code forbidden}, which never says which part is wrong;
     *     {@code unavailable} while the database does not answer; or what an {@link Authorizer} refused it with
     */
    public Handshake admit(String path, @Nullable String query, @Nullable String origin, String own) {
        if (origin != null && !isAllowed(origin, own)) {
            throw forbidden("origin");
        }
        HandshakeQuery asked = HandshakeQuery.parse(query, limits);
        if (!database.isReady()) {
            throw unavailable();
        }
        try {
            Proven proven = asked.ticket() == null ? signed(asked, path) : ticketed(asked, asked.ticket());
            return authorized(
                    authorizers,
                    limits,
                    new Handshake(
                            proven.identity(),
                            proven.clientId(),
                            asked.streamId(),
                            asked.protocol(),
                            asked.appVersion(),
                            proven.supersede(),
                            asked.capabilitySet(),
                            asked.metadata()));
        } catch (DatabaseUnavailable away) {
            throw unavailable();
        } catch (SQLException failed) {
            if (Failure.of(failed) == Failure.DEFECT) {
                throw new IllegalStateException("a handshake could not be judged", failed);
            }
            throw unavailable();
        }
    }

    private boolean isAllowed(String origin, String own) {
        String plain = origin.toLowerCase(Locale.ROOT);
        return plain.equals(own.toLowerCase(Locale.ROOT))
                || origins.contains(plain)
                || publicOrigin.filter(plain::equals).isPresent();
    }

    private Proven ticketed(HandshakeQuery asked, String ticket) throws SQLException {
        Identity.Participant participant = tickets.consume(ticket).orElseThrow(() -> forbidden("ticket"));
        if (!asked.clientId().isEmpty() && !asked.clientId().equals(participant.session())) {
            throw forbidden("the ticket's session");
        }
        return new Proven(participant, participant.session(), true);
    }

    private Proven signed(HandshakeQuery asked, String path) throws SQLException {
        if (!asked.clientId().startsWith(CLIENT_FORM)) {
            throw forbidden("the client id's form");
        }
        boolean isCurrent = asked.protocol() >= HandshakeQuery.OLDEST_CURRENT;
        if (isCurrent && !asked.audience().equals(path) && !isAudience(asked.audience())) {
            throw forbidden("audience");
        }
        Optional<ClientKeys.Signer> signer = keys.signer(asked.clientId());
        List<String> secrets = signer.map(ClientKeys.Signer::secrets).orElse(NOBODYS);
        if (!isSignedBy(secrets, asked, path) || signer.isEmpty()) {
            throw forbidden("signature");
        }
        long timestamp = Long.parseLong(asked.timestamp());
        boolean isShared = nodes.isShared();
        if (!isShared && Math.abs(clock.read().toEpochMilli() - timestamp) > driftMs) {
            throw forbidden("timestamp");
        }
        // A version 1 client proves no more than this, and always takes the place of its older stream.
        String once = isCurrent ? asked.nonce() : asked.protocol() == 2 ? "id:" + asked.streamId() : null;
        if (isShared) {
            useInMesh(asked.clientId(), once == null ? "v1:" + asked.signature() : once, timestamp, once == null);
        } else if (once != null && !nonces.consume(asked.clientId(), once)) {
            throw forbidden("nonce");
        }
        return new Proven(signer.get().identity(), asked.clientId(), asked.supersede() || asked.protocol() == 1);
    }

    /**
     * Judges time and nonce by the registry, whose clock is the same for all nodes.
     *
     * @param mayRepeat true for a client whose protocol has nothing that is used once
     */
    private void useInMesh(String client, String nonce, long timestamp, boolean mayRepeat) {
        Membership.Lease lease = membership.lease().orElseThrow(() -> new Refused(Refusal.UNAVAILABLE, NO_REGISTRY));
        NonceUse use;
        try {
            use = registry.consumeNonce(lease.epoch().id(), client, nonce, timestamp)
                    .toCompletableFuture()
                    .get(REGISTRY_PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new Refused(Refusal.UNAVAILABLE, NO_REGISTRY);
        } catch (ExecutionException | TimeoutException away) {
            LOG.log(Level.FINE, "a nonce was not judged", away);
            throw new Refused(Refusal.UNAVAILABLE, NO_REGISTRY);
        }
        switch (use) {
            case FRESH -> {}
            case REPLAYED -> {
                if (!mayRepeat) {
                    throw forbidden("nonce");
                }
            }
            case OUT_OF_TIME -> throw forbidden("timestamp");
            case BEFORE_EPOCH -> throw forbidden("timestamp, which is older than the registry");
            case OTHER_EPOCH -> {
                membership.doubt(Membership.Doubt.OTHER_EPOCH, lease.number());
                throw new Refused(Refusal.UNAVAILABLE, NO_REGISTRY);
            }
        }
    }

    private boolean isAudience(String asked) {
        return !audience.isEmpty() && asked.equals(audience);
    }

    private static boolean isSignedBy(List<String> secrets, HandshakeQuery asked, String path) {
        byte[] given = asked.signature().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
        boolean isRight = false;
        for (String secret : secrets) {
            String right = asked.protocol() >= HandshakeQuery.OLDEST_CURRENT
                    ? asked.canonical(path).signature(secret)
                    : CanonicalHandshake.legacySignature(
                            secret, asked.appVersion(), asked.timestamp(), asked.streamId(), asked.clientId());
            isRight |= MessageDigest.isEqual(right.getBytes(StandardCharsets.US_ASCII), given);
        }
        return isRight;
    }

    /** Asks every authorizer; what they add stands beside what the client sent, within the same limit. */
    static Handshake authorized(Iterable<Authorizer> authorizers, HandshakeQuery.Limits limits, Handshake proven) {
        Map<String, String> metadata = new LinkedHashMap<>(proven.metadata());
        for (Authorizer authorizer : authorizers) {
            try {
                metadata.putAll(authorizer.authorize(proven));
            } catch (Refused refused) {
                LOG.log(
                        Level.FINE,
                        "handshake refused by an authorizer: {0}",
                        refused.refusal().slug());
                throw new Refused(refused.refusal(), refused.refusal().title());
            }
        }
        HandshakeQuery.checkMetadata(metadata, limits);
        return new Handshake(
                proven.identity(),
                proven.clientId(),
                proven.streamId(),
                proven.protocol(),
                proven.appVersion(),
                proven.supersede(),
                proven.capabilities(),
                metadata);
    }

    /** Why stays here: who is refused learns nothing, and a log that strangers can fill tells nobody. */
    private static Refused forbidden(String part) {
        LOG.log(Level.FINE, "handshake refused for its {0}", part);
        return new Refused(Refusal.FORBIDDEN, "the handshake proves nobody who may open a stream");
    }

    private static Refused unavailable() {
        return new Refused(Refusal.UNAVAILABLE, "the database does not answer; try again");
    }
}
