package io.huddle.security;

import io.huddle.store.Database;
import io.huddle.store.Retried;
import io.huddle.time.DatabaseClock;
import io.huddle.web.Cursor;
import io.huddle.web.Ids;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys of service clients and devices, with what they are allowed. Safe for use by any thread.
 *
 * <p>Of each client at most two secrets are valid: the newest and, until the next rotation, the one before it, so that a
 * fleet can be given the new one without an interruption. A secret is shown once, when it is made.
 */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class, dontRollbackOn = Refused.class)
public class ClientKeys {
    private static final Logger LOG = Logger.getLogger(ClientKeys.class.getName());

    private static final String INSERT =
            "INSERT INTO client_key (client, roles, created_at, created_by) VALUES (?, ?, ?, ?)";
    private static final String INSERT_TEAM = "INSERT INTO client_team (client, team) VALUES (?, ?)";
    private static final String INSERT_SECRET =
            "INSERT INTO client_secret (id, client, number, sealed, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)";
    private static final String LOCK =
            "SELECT client, roles, created_at, created_by FROM client_key WHERE client = ? FOR UPDATE";
    private static final String READ = "SELECT client, roles, created_at, created_by FROM client_key WHERE client = ?";
    private static final String FIRST_PAGE = "SELECT client, roles, created_at, created_by FROM client_key"
            + " ORDER BY created_at DESC, client DESC FETCH FIRST ? ROWS ONLY";
    private static final String NEXT_PAGE = "SELECT client, roles, created_at, created_by FROM client_key"
            + " WHERE created_at < ? OR (created_at = ? AND client < ?)"
            + " ORDER BY created_at DESC, client DESC FETCH FIRST ? ROWS ONLY";
    private static final String TEAMS = "SELECT team FROM client_team WHERE client = ?";
    private static final String SECRETS = "SELECT id, number, sealed, created_at, created_by FROM client_secret"
            + " WHERE client = ? ORDER BY number DESC";
    private static final String SIGNER = "SELECT k.roles, s.id, s.number, s.sealed, s.created_at, s.created_by, t.team"
            + " FROM client_key k JOIN client_secret s ON s.client = k.client LEFT JOIN client_team t ON t.client = k.client"
            + " WHERE k.client = ?";
    private static final String FORGET = "DELETE FROM client_secret WHERE client = ? AND number < ?";
    private static final List<String> DELETES = List.of(
            "DELETE FROM client_secret WHERE client = ?",
            "DELETE FROM client_team WHERE client = ?",
            "DELETE FROM client_key WHERE client = ?");

    /** Clients whose secret could not be opened are told once each, and no more than this. */
    private static final int MOST_TOLD = 1_000;

    private final @Nullable SecretSeal seal = SecretSeal.configured();
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    @Inject
    private Database database;

    @Inject
    private DatabaseClock clock;

    @Inject
    private Event<OperatorActed> acted;

    /** A secret as it may be shown: everything but itself. */
    public record Secret(String id, Instant createdAt, String createdBy) {}

    /** @param secrets the valid ones, newest first */
    public record Key(
            String client,
            Set<Role> roles,
            Set<String> teams,
            Instant createdAt,
            String createdBy,
            List<Secret> secrets) {}

    /** @param secret to be shown this once */
    public record Issued(Key key, String secret) {}

    /** What a signature is judged by. */
    public record Signer(Identity.Client identity, List<String> secrets) {}

    private record Head(String client, Set<Role> roles, Instant createdAt, String createdBy) {}

    private record Stored(Secret shown, int number, String sealed) {}

    /**
     * Makes a client with its first secret.
     *
     * @param client null to have an id made
     * @throws Refused {@code client-exists}; {@code client-keys-disabled} without {@code huddle.keys.secret}
     */
    @Retried
    public Issued create(Caller operator, @Nullable String client, Set<Role> roles, Set<String> teams, String reason)
            throws SQLException {
        SecretSeal by = needSeal();
        String id = client == null ? Ids.make('c') : client;
        Instant now = clock.read();
        String secret = Proofs.random();
        try (Connection connection = database.connection()) {
            if (!heads(connection, READ, id).isEmpty()) {
                throw new Refused(Refusal.CLIENT_EXISTS, "rotate its secret, delete it first, or take another id");
            }
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                insert.setString(1, id);
                insert.setString(2, roles.stream().map(Role::group).sorted().collect(Collectors.joining(",")));
                insert.setTimestamp(3, Timestamp.from(now));
                insert.setString(4, operator.subject());
                insert.executeUpdate();
            }
            for (String team : teams) {
                try (PreparedStatement insert = connection.prepareStatement(INSERT_TEAM)) {
                    insert.setString(1, id);
                    insert.setString(2, team);
                    insert.executeUpdate();
                }
            }
            insertSecret(connection, operator, id, 1, by.seal(id, secret), now);
            acted.fire(OperatorActed.onClient(operator.subject(), "client-key.create", reason, id, now));
            return new Issued(whole(connection, heads(connection, READ, id).get(0)), secret);
        }
    }

    /**
     * Makes the next secret; the one before stays valid until the next rotation, older ones end.
     *
     * @throws Refused {@code client-not-found}; {@code client-keys-disabled} without {@code huddle.keys.secret}
     */
    @Retried
    public Issued rotate(Caller operator, String client, String reason) throws SQLException {
        SecretSeal by = needSeal();
        String secret = Proofs.random();
        try (Connection connection = database.connection()) {
            Head head = lock(connection, client);
            Instant now = clock.read();
            int newest = secrets(connection, client).stream()
                    .mapToInt(Stored::number)
                    .max()
                    .orElse(0);
            try (PreparedStatement delete = connection.prepareStatement(FORGET)) {
                delete.setString(1, client);
                delete.setInt(2, newest);
                delete.executeUpdate();
            }
            insertSecret(connection, operator, client, newest + 1, by.seal(client, secret), now);
            acted.fire(OperatorActed.onClient(operator.subject(), "client-key.rotate", reason, client, now));
            return new Issued(whole(connection, head), secret);
        }
    }

    /**
     * Deletes a client and its secrets. The caller tells of it once this has returned, and so has committed.
     *
     * @throws Refused {@code client-not-found}
     */
    @Retried
    public void delete(Caller operator, String client, String reason) throws SQLException {
        try (Connection connection = database.connection()) {
            lock(connection, client);
            for (String sql : DELETES) {
                try (PreparedStatement delete = connection.prepareStatement(sql)) {
                    delete.setString(1, client);
                    delete.executeUpdate();
                }
            }
            acted.fire(OperatorActed.onClient(operator.subject(), "client-key.delete", reason, client, clock.read()));
        }
    }

    /** At most {@code limit} clients behind the cursor, newest first. */
    @Retried
    public List<Key> list(@Nullable Cursor cursor, int limit) throws SQLException {
        try (Connection connection = database.connection()) {
            List<Key> keys = new ArrayList<>();
            for (Head head : page(connection, cursor, limit)) {
                keys.add(whole(connection, head));
            }
            return keys;
        }
    }

    /**
     * Who may sign under this id. Empty for an unknown client, without {@code huddle.keys.secret}, and if no secret can be
     * opened with it, which is logged once for each client.
     */
    @Retried
    @Transactional(Transactional.TxType.SUPPORTS)
    public Optional<Signer> signer(String client) throws SQLException {
        SecretSeal by = seal;
        if (by == null || !isForm(client)) {
            return Optional.empty();
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        Map<Integer, Stored> stored = new TreeMap<>(Comparator.reverseOrder());
        Set<String> teams = new TreeSet<>();
        try (Connection connection = database.connection();
                PreparedStatement query = connection.prepareStatement(SIGNER)) {
            query.setString(1, client);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    roles.addAll(roles(rows.getString(1)));
                    stored.put(rows.getInt(3), stored(rows, 2));
                    String team = rows.getString(7);
                    if (team != null) {
                        teams.add(team);
                    }
                }
            }
        }
        List<String> opened = open(by, client, stored.values());
        return opened.isEmpty()
                ? Optional.empty()
                : Optional.of(new Signer(new Identity.Client(client, roles, new LinkedHashSet<>(teams)), opened));
    }

    /** True for the id of a client: {@code c-} and 1 to 126 letters, digits, dots, underscores and hyphens. */
    public static boolean isForm(String client) {
        return client.matches("c-[A-Za-z0-9._-]{1,126}");
    }

    /** @throws IllegalStateException if {@code huddle.keys.secret} is too short */
    static void check() {
        SecretSeal.check();
    }

    private List<String> open(SecretSeal by, String client, Collection<Stored> stored) {
        List<String> opened = new ArrayList<>();
        for (Stored one : stored) {
            String secret = by.open(client, one.sealed());
            if (secret != null) {
                opened.add(secret);
            } else if (told.size() < MOST_TOLD && told.add(one.shown().id())) {
                LOG.log(
                        Level.WARNING,
                        "the secret {0} of client {1} cannot be opened: it was sealed under another "
                                + SecretSeal.SETTING + "; restore that one, or rotate the client''s secret",
                        new Object[] {one.shown().id(), client});
            }
        }
        return opened;
    }

    private SecretSeal needSeal() {
        if (seal == null) {
            throw new Refused(
                    Refusal.CLIENT_KEYS_DISABLED,
                    "set " + SecretSeal.SETTING + " to at least 32 characters, the same on every node");
        }
        return seal;
    }

    private static void insertSecret(
            Connection connection, Caller operator, String client, int number, String sealed, Instant now)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT_SECRET)) {
            insert.setString(1, Ids.make('k'));
            insert.setString(2, client);
            insert.setInt(3, number);
            insert.setString(4, sealed);
            insert.setTimestamp(5, Timestamp.from(now));
            insert.setString(6, operator.subject());
            insert.executeUpdate();
        }
    }

    private static Head lock(Connection connection, String client) throws SQLException {
        List<Head> found = isForm(client) ? heads(connection, LOCK, client) : List.of();
        if (found.isEmpty()) {
            throw new Refused(Refusal.CLIENT_NOT_FOUND, "no client has this id");
        }
        return found.get(0);
    }

    private static List<Head> heads(Connection connection, String sql, String client) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, client);
            return heads(query);
        }
    }

    private static List<Head> page(Connection connection, @Nullable Cursor cursor, int limit) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(cursor == null ? FIRST_PAGE : NEXT_PAGE)) {
            int at = 1;
            if (cursor != null) {
                query.setTimestamp(at++, Timestamp.from(cursor.at()));
                query.setTimestamp(at++, Timestamp.from(cursor.at()));
                query.setString(at++, cursor.id());
            }
            query.setInt(at, limit);
            return heads(query);
        }
    }

    private static List<Head> heads(PreparedStatement query) throws SQLException {
        List<Head> heads = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                heads.add(new Head(
                        rows.getString(1),
                        roles(rows.getString(2)),
                        rows.getTimestamp(3).toInstant(),
                        rows.getString(4)));
            }
        }
        return heads;
    }

    private static Key whole(Connection connection, Head head) throws SQLException {
        List<Secret> shown =
                secrets(connection, head.client()).stream().map(Stored::shown).toList();
        return new Key(
                head.client(),
                head.roles(),
                teams(connection, head.client()),
                head.createdAt(),
                head.createdBy(),
                shown);
    }

    private static Set<String> teams(Connection connection, String client) throws SQLException {
        Set<String> teams = new TreeSet<>();
        try (PreparedStatement query = connection.prepareStatement(TEAMS)) {
            query.setString(1, client);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    teams.add(rows.getString(1));
                }
            }
        }
        return new LinkedHashSet<>(teams);
    }

    private static List<Stored> secrets(Connection connection, String client) throws SQLException {
        List<Stored> secrets = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(SECRETS)) {
            query.setString(1, client);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    secrets.add(stored(rows, 1));
                }
            }
        }
        return secrets;
    }

    /** The columns of a secret, from this one on. */
    private static Stored stored(ResultSet rows, int from) throws SQLException {
        Secret shown =
                new Secret(rows.getString(from), rows.getTimestamp(from + 3).toInstant(), rows.getString(from + 4));
        return new Stored(shown, rows.getInt(from + 1), rows.getString(from + 2));
    }

    private static Set<Role> roles(String stored) {
        Collection<String> groups = Arrays.asList(stored.split(","));
        EnumSet<Role> roles = EnumSet.noneOf(Role.class);
        for (Role role : Role.values()) {
            if (groups.contains(role.group())) {
                roles.add(role);
            }
        }
        return roles;
    }
}
