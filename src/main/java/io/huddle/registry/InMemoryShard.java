package io.huddle.registry;

import io.huddle.registry.ClientRecord.State;
import io.huddle.web.Utf8;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One part of the registry in memory: the rules of records and claims as {@link RegistryBackend} tells them, with no thought
 * to speed. Not safe for use by several threads; the registry's lock guards it.
 */
final class InMemoryShard {
    /** How often what has run out is thrown away. Nothing depends on it: what has run out is judged as gone before. */
    private static final long SWEEP_MS = 1_000;

    /** Of pending records, after which a part of what a dead node left ends. */
    private static final long PENDING_BYTES = 256 << 10;

    private final RegistryLimits limits;

    final InMemoryQueue orphans;

    /** By the bytes of the client ids, which is the order of listings. */
    private final NavigableMap<String, ClientRecord> records = new TreeMap<>(Utf8.ORDER);

    /** Client ids whose record cannot be read. Never in {@link #records} at the same time. */
    private final Set<String> corrupt = new HashSet<>();

    private final Map<String, Claim> claims = new HashMap<>();

    /** Numbers whose writes are refused for good. */
    private final Set<Long> dead = new HashSet<>();

    /** Operations that had their effect, and those that shall have none, each with the last moment at which it may come. */
    private final Map<Done, Long> done = new HashMap<>();

    private final Map<Revoked, Long> revoked = new HashMap<>();

    /** Nonces that were used, with the moment at which they are forgotten. */
    private final Map<Nonce, Long> nonces = new HashMap<>();

    private final Set<String> epochsLeft = new HashSet<>();

    private @Nullable String epoch;
    private long epochSince;
    private long nextSweep;

    InMemoryShard(RegistryLimits limits, int number) {
        this.limits = limits;
        this.orphans = new InMemoryQueue(limits, number);
    }

    /** An open claim. Its id is the operation that made it. */
    private record Claim(
            Warrant warrant,
            ClaimRequest request,
            long order,
            @Nullable ClientRecord previous,
            long until) {
        String id() {
            return warrant.operation();
        }

        boolean isOf(Warrant other) {
            return warrant.node() == other.node() && warrant.process().equals(other.process());
        }

        Claimed answer() {
            return new Claimed(Claimed.Status.CLAIMED, id(), order, previous, 0);
        }
    }

    /** @param subject the client id or the chunk id */
    private record Done(String method, String subject, String operation) {}

    private record Revoked(String clientId, String operation) {}

    private record Nonce(String clientId, String nonce) {}

    // The rules of every write.

    /** Why nothing may be written under this warrant; null if it may. */
    Written.@Nullable Status refusal(Warrant warrant, String clientId, long now) {
        sweep(now);
        if (!warrant.epoch().equals(epoch)) {
            return Written.Status.OTHER_EPOCH;
        }
        if (dead.contains(warrant.node())) {
            return Written.Status.WRITER_DEAD;
        }
        if (now > warrant.notAfter()
                || warrant.notAfter() > now + Warrant.LONGEST_MS
                || isStill(revoked.get(new Revoked(clientId, warrant.operation())), now)) {
            return Written.Status.TOO_LATE;
        }
        return null;
    }

    boolean isDone(String method, String subject, Warrant warrant, long now) {
        return isStill(done.get(new Done(method, subject, warrant.operation())), now);
    }

    void remember(String method, String subject, Warrant warrant) {
        done.put(new Done(method, subject, warrant.operation()), warrant.notAfter());
    }

    private static boolean isStill(@Nullable Long last, long now) {
        return last != null && now <= last;
    }

    private void sweep(long now) {
        if (now < nextSweep) {
            return;
        }
        nextSweep = now + SWEEP_MS;
        done.values().removeIf(last -> now > last);
        revoked.values().removeIf(last -> now > last);
        nonces.values().removeIf(until -> now >= until);
        claims.values().removeIf(claim -> !isOpen(claim, now));
    }

    // Records.

    Written record(String method, Warrant warrant, Registration registration, State state, long now) {
        String clientId = registration.clientId();
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        if (corrupt.contains(clientId)) {
            return Written.of(Written.Status.CORRUPT);
        }
        ClientRecord existing = records.get(clientId);
        if (isDone(method, clientId, warrant, now)) {
            return again(warrant, existing, registration.connectionId());
        }
        Written inTheWay = inTheWay(warrant, registration, existing, openClaim(clientId, now));
        if (inTheWay != null) {
            return inTheWay;
        }
        dropLowerClaim(registration);
        remember(method, clientId, warrant);
        return put(
                existing == null
                        ? made(warrant, warrant.operation(), registration, state, orderOf(registration, null, now), now)
                        : rewritten(existing, registration, state));
    }

    private static @Nullable Written inTheWay(
            Warrant warrant, Registration registration, @Nullable ClientRecord existing, @Nullable Claim claim) {
        long order = registration.order();
        if (existing == null) {
            if (claim == null || order > claim.order) {
                return null;
            }
            return Written.of(
                    order == 0 || order == claim.order ? Written.Status.CONFLICT : Written.Status.NEWER_EXISTS);
        }
        if (isOf(warrant, existing, registration.connectionId())) {
            return order != 0 && order < existing.order() ? new Written(Written.Status.NEWER_EXISTS, existing) : null;
        }
        boolean newer = order != 0
                && (existing.order() > order
                        || (existing.order() == order
                                && Utf8.ORDER.compare(existing.connectionId(), registration.connectionId()) > 0));
        return new Written(newer ? Written.Status.NEWER_EXISTS : Written.Status.CONFLICT, existing);
    }

    private void dropLowerClaim(Registration registration) {
        Claim claim = claims.get(registration.clientId());
        if (claim != null && registration.order() > claim.order) {
            claims.remove(registration.clientId());
        }
    }

    private static ClientRecord made(
            Warrant warrant, String mark, Registration registration, State state, long order, long now) {
        return new ClientRecord(
                registration.clientId(),
                warrant.node(),
                warrant.process(),
                registration.connectionId(),
                state,
                order,
                registration.session(),
                registration.generation(),
                registration.teams(),
                registration.connectedAt() == 0 ? now : registration.connectedAt(),
                mark,
                1,
                registration.metadata());
    }

    private static ClientRecord rewritten(ClientRecord existing, Registration registration, State state) {
        return new ClientRecord(
                existing.clientId(),
                existing.node(),
                existing.process(),
                existing.connectionId(),
                state,
                registration.order() == 0 ? existing.order() : registration.order(),
                registration.session(),
                registration.generation(),
                registration.teams(),
                existing.connectedAt(),
                existing.mark(),
                existing.revision() + 1,
                registration.metadata());
    }

    private static ClientRecord changed(ClientRecord existing, State state, String metadata) {
        return new ClientRecord(
                existing.clientId(),
                existing.node(),
                existing.process(),
                existing.connectionId(),
                state,
                existing.order(),
                existing.session(),
                existing.generation(),
                existing.teams(),
                existing.connectedAt(),
                existing.mark(),
                existing.revision() + 1,
                metadata);
    }

    private static long orderOf(Registration registration, @Nullable ClientRecord existing, long now) {
        if (registration.order() != 0) {
            return registration.order();
        }
        return existing == null ? now : Math.max(now, existing.order() + 1);
    }

    private Written put(ClientRecord record) {
        records.put(record.clientId(), record);
        return new Written(Written.Status.OK, record);
    }

    private static boolean isOf(Warrant warrant, @Nullable ClientRecord record, String connectionId) {
        return record != null
                && warrant.isOwnerOf(record)
                && record.connectionId().equals(connectionId);
    }

    /** The answer to an operation that had its effect before. */
    private static Written again(Warrant warrant, @Nullable ClientRecord record, String connectionId) {
        return isOf(warrant, record, connectionId)
                ? new Written(Written.Status.OK, record)
                : Written.of(Written.Status.NOT_OWNER);
    }

    Written change(
            String method,
            Warrant warrant,
            String clientId,
            String connectionId,
            String metadata,
            boolean activate,
            long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        if (corrupt.contains(clientId)) {
            return Written.of(Written.Status.CORRUPT);
        }
        ClientRecord existing = records.get(clientId);
        if (existing == null || !isOf(warrant, existing, connectionId) || isDone(method, clientId, warrant, now)) {
            return again(warrant, existing, connectionId);
        }
        remember(method, clientId, warrant);
        return put(changed(existing, activate ? State.ACTIVE : existing.state(), metadata));
    }

    Written unregister(Warrant warrant, String clientId, String connectionId, boolean ownCorrupt, long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        if (isDone("unregister", clientId, warrant, now)) {
            return Written.of(Written.Status.OK);
        }
        if (corrupt.contains(clientId) && !ownCorrupt) {
            return Written.of(Written.Status.CORRUPT);
        }
        Claim claim = openClaim(clientId, now);
        if (claim != null
                && claim.isOf(warrant)
                && claim.request.registration().connectionId().equals(connectionId)) {
            claims.remove(clientId);
        }
        boolean removed = corrupt.remove(clientId);
        if (isOf(warrant, records.get(clientId), connectionId)) {
            records.remove(clientId);
            removed = true;
        }
        if (!removed) {
            return Written.of(Written.Status.NOT_OWNER);
        }
        remember("unregister", clientId, warrant);
        return Written.of(Written.Status.OK);
    }

    Sight sight(String clientId, long now) {
        if (!records.containsKey(clientId) && !corrupt.contains(clientId)) {
            checkAbsence();
        }
        Claim claim = openClaim(clientId, now);
        return new Sight(
                records.get(clientId),
                corrupt.contains(clientId),
                claim == null ? null : claim.id(),
                claim == null ? 0 : claim.warrant.node());
    }

    private void checkAbsence() {
        if (epoch == null) {
            throw new RegistryUnavailable("no epoch has begun in the registry");
        }
    }

    /** All that can be read, after this client id, in the order of listings. */
    Iterable<ClientRecord> recordsAfter(String clientId) {
        checkAbsence();
        return records.tailMap(clientId, false).values();
    }

    // Claims.

    private boolean isOpen(Claim claim, long now) {
        return now < claim.until && !dead.contains(claim.warrant.node());
    }

    private @Nullable Claim openClaim(String clientId, long now) {
        Claim claim = claims.get(clientId);
        return claim != null && isOpen(claim, now) ? claim : null;
    }

    /** The open claim of this id, whosever it is. */
    private @Nullable Claim openClaim(String clientId, String id, long now) {
        Claim claim = openClaim(clientId, now);
        return claim != null && claim.id().equals(id) ? claim : null;
    }

    Claimed claim(Warrant warrant, ClaimRequest request, long now) {
        String clientId = request.registration().clientId();
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Claimed.of(Claimed.Status.valueOf(refusal.name()));
        }
        if (request.deadNode() != 0) {
            dead.add(request.deadNode());
        }
        Claim open = openClaim(clientId, now);
        boolean same = open != null && open.id().equals(warrant.operation());
        if (!same && isDone("claim", clientId, warrant, now)) {
            return Claimed.of(Claimed.Status.TOO_LATE);
        }
        if (corrupt.contains(clientId)) {
            return Claimed.of(Claimed.Status.CORRUPT);
        }
        if (open != null && same) {
            return open.isOf(warrant) && open.request.equals(request) ? open.answer() : busy(open);
        }
        ClientRecord existing = records.get(clientId);
        long order = orderOf(request.registration(), existing, now);
        Claimed inTheWay = inTheWay(warrant, request, order, existing, open);
        if (inTheWay != null) {
            return inTheWay;
        }
        Claim made = new Claim(warrant, request, order, existing, now + limits.claimMs());
        claims.put(clientId, made);
        remember("claim", clientId, warrant);
        return made.answer();
    }

    private @Nullable Claimed inTheWay(
            Warrant warrant, ClaimRequest request, long order, @Nullable ClientRecord existing, @Nullable Claim open) {
        boolean unordered = request.registration().order() == 0;
        if (existing != null && existing.order() > order) {
            return new Claimed(Claimed.Status.NEWER_EXISTS, null, 0, existing, 0);
        }
        if (open != null && !unordered && open.order > order) {
            return new Claimed(Claimed.Status.NEWER_EXISTS, null, 0, existing, 0);
        }
        if (open != null && (unordered || open.order == order)) {
            return busy(open);
        }
        boolean settled = existing == null
                || isOf(warrant, existing, request.registration().connectionId())
                || (!unordered && existing.order() < order)
                || request.supersede()
                || existing.mark().equals(request.goneMark())
                || dead.contains(existing.node());
        return settled ? null : new Claimed(Claimed.Status.CONFLICT, null, 0, existing, 0);
    }

    private static Claimed busy(Claim open) {
        return new Claimed(Claimed.Status.BUSY, null, 0, null, open.warrant.node());
    }

    Committed commit(Warrant warrant, String clientId, String id, long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Committed.of(Committed.Status.valueOf(refusal.name()));
        }
        ClientRecord existing = records.get(clientId);
        if (existing != null && existing.mark().equals(id) && warrant.isOwnerOf(existing)) {
            return new Committed(Committed.Status.COMMITTED, existing);
        }
        Claim claim = openClaim(clientId, id, now);
        if (claim == null || !claim.isOf(warrant) || corrupt.contains(clientId)) {
            return Committed.of(Committed.Status.LOST);
        }
        if (existing != null && !existing.equals(claim.previous)) {
            return claim.previous != null && existing.isSameGeneration(claim.previous)
                    ? new Committed(Committed.Status.PREVIOUS_CHANGED, existing)
                    : Committed.of(Committed.Status.LOST);
        }
        claims.remove(clientId);
        ClientRecord made = made(warrant, id, claim.request.registration(), claim.request.state(), claim.order, now);
        records.put(clientId, made);
        return new Committed(Committed.Status.COMMITTED, made);
    }

    Written abort(Warrant warrant, String clientId, String id, long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        Claim claim = openClaim(clientId, id, now);
        if (claim != null && !claim.isOf(warrant)) {
            return Written.of(Written.Status.NOT_OWNER);
        }
        revoke(warrant, clientId, id, claim);
        return Written.of(Written.Status.OK);
    }

    private void revoke(Warrant warrant, String clientId, String id, @Nullable Claim claim) {
        Revoked operation = new Revoked(clientId, id);
        revoked.merge(operation, warrant.notAfter(), Math::max);
        if (claim != null) {
            revoked.merge(operation, claim.warrant.notAfter(), Math::max);
            claims.remove(clientId);
        }
    }

    Written removePrevious(Warrant warrant, String clientId, String id, long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        if (corrupt.contains(clientId)) {
            return Written.of(Written.Status.CORRUPT);
        }
        Claim claim = openClaim(clientId, id, now);
        if (claim == null || !claim.isOf(warrant)) {
            return Written.of(Written.Status.NOT_OWNER);
        }
        ClientRecord existing = records.get(clientId);
        if (existing != null && (claim.previous == null || !existing.isSameGeneration(claim.previous))) {
            return Written.of(Written.Status.NOT_OWNER);
        }
        records.remove(clientId);
        return Written.of(Written.Status.OK);
    }

    Written removeResult(Warrant warrant, String clientId, String id, long now) {
        Written.Status refusal = refusal(warrant, clientId, now);
        if (refusal != null) {
            return Written.of(refusal);
        }
        if (corrupt.contains(clientId)) {
            return Written.of(Written.Status.CORRUPT);
        }
        Claim claim = openClaim(clientId, id, now);
        ClientRecord existing = records.get(clientId);
        boolean result = existing != null && existing.mark().equals(id);
        if ((claim != null && !claim.isOf(warrant)) || (existing != null && result && !warrant.isOwnerOf(existing))) {
            return Written.of(Written.Status.NOT_OWNER);
        }
        revoke(warrant, clientId, id, claim);
        if (result) {
            records.remove(clientId);
        }
        return Written.of(Written.Status.OK);
    }

    // Nodes.

    void declareDead(long node) {
        dead.add(node);
        claims.values().removeIf(claim -> claim.warrant.node() == node);
    }

    /** All records of a node, in the order of listings. */
    List<ClientRecord> recordsOf(long node) {
        return records.values().stream().filter(record -> record.node() == node).toList();
    }

    void removeAllOf(long node) {
        records.values().removeIf(record -> record.node() == node);
    }

    /**
     * Removes the first part of what a dead node left here: a chunk's active clients with the pending ones among them.
     *
     * @return null if there was no room for the chunk, and nothing was removed
     */
    @Nullable
    Part removePart(long node, int most, long now) {
        List<ClientRecord> part = new ArrayList<>();
        List<ClientRecord> active = new ArrayList<>();
        long bytes = 0;
        long idle = 0;
        for (ClientRecord record : recordsOf(node)) {
            long more = sizeOf(record);
            boolean cut = record.isActive()
                    && !active.isEmpty()
                    && (bytes + more > limits.chunkBytes() || active.size() >= limits.chunkClients());
            if (cut || part.size() >= most || idle >= PENDING_BYTES) {
                break;
            }
            part.add(record);
            if (record.isActive()) {
                bytes += more;
                active.add(record);
            } else {
                idle += more;
            }
        }
        if (!active.isEmpty()) {
            if (!orphans.hasRoomFor(bytes)) {
                return null;
            }
            orphans.add(node, active, bytes, now);
        }
        part.forEach(record -> records.remove(record.clientId()));
        return new Part(part.size(), active.size());
    }

    /** @param orphans how many of the removed were active */
    record Part(int removed, int orphans) {}

    /** What a record is accounted with: its texts, and as much again for the rest as numbers and names take elsewhere. */
    static long sizeOf(ClientRecord record) {
        long size = 128;
        size += Utf8.exactLength(record.clientId());
        size += Utf8.exactLength(record.process());
        size += Utf8.exactLength(record.connectionId());
        size += Utf8.exactLength(record.mark());
        size += Utf8.exactLength(record.metadata());
        size += record.session() == null ? 0 : Utf8.exactLength(record.session());
        for (String team : record.teams()) {
            size += Utf8.exactLength(team);
        }
        return size;
    }

    // Epochs and nonces.

    void begin(String next, long now) {
        if (next.equals(epoch) || epochsLeft.contains(next)) {
            return;
        }
        if (epoch != null) {
            epochsLeft.add(epoch);
        }
        epoch = next;
        epochSince = now;
    }

    NonceUse use(String inEpoch, String clientId, String nonce, long timestamp, long now) {
        sweep(now);
        if (!inEpoch.equals(epoch)) {
            return NonceUse.OTHER_EPOCH;
        }
        if (timestamp < now - limits.clockDriftMs() || timestamp > now + limits.clockDriftMs()) {
            return NonceUse.OUT_OF_TIME;
        }
        if (timestamp < epochSince) {
            return NonceUse.BEFORE_EPOCH;
        }
        Nonce used = new Nonce(clientId, nonce);
        Long until = nonces.get(used);
        if (until != null && now < until) {
            return NonceUse.REPLAYED;
        }
        nonces.put(used, now + limits.nonceMs());
        return NonceUse.FRESH;
    }

    // For tests.

    void corrupt(String clientId) {
        records.remove(clientId);
        corrupt.add(clientId);
    }
}
