package io.huddle.presence;

import io.huddle.room.Policy;
import io.huddle.web.Ids;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A participant's durable membership in one room: joined, renewed, suspected, suspended, ended, joined again under the
 * next generation. Its id outlives every reconnect.
 *
 * <p>Decides nothing: {@link SessionRules} does, on the {@link Seat} that this row holds. An entity of one transaction and
 * one thread, changed only under its row's lock.
 */
@Entity
@Table(name = "room_session")
public class Session {
    @Id
    private String id;

    @Column(name = "room_id")
    private String room;

    private String participant;
    private long generation;
    private String state;
    private @Nullable String ending;

    @Column(name = "lease_until")
    private Instant leaseUntil;

    @Column(name = "proven_at")
    private Instant provenAt;

    @Column(name = "suspect_at")
    private @Nullable Instant suspectAt;

    @Column(name = "joined_at")
    private Instant joinedAt;

    private long counter;

    @Column(name = "room_open")
    private boolean roomOpen;

    @Column(name = "heartbeat_seconds")
    private int heartbeatSeconds;

    @Column(name = "lease_seconds")
    private int leaseSeconds;

    @Column(name = "suspended_lease_seconds")
    private int suspendedLeaseSeconds;

    @Column(name = "stream_id")
    private @Nullable String streamId;

    @Column(name = "stream_process")
    private @Nullable String streamProcess;

    @Column(name = "stream_ended_at")
    private @Nullable Instant streamEndedAt;

    @Column(name = "lapse_told")
    private boolean lapseTold;

    @Column(name = "media_state")
    private @Nullable String mediaState;

    @Column(name = "media_flowing")
    private @Nullable Boolean mediaFlowing;

    @Column(name = "media_rtt_ms")
    private @Nullable Integer mediaRttMs;

    @Column(name = "media_packets_lost")
    private @Nullable Long mediaPacketsLost;

    @Column(name = "media_at")
    private @Nullable Instant mediaAt;

    @SuppressWarnings("NullAway.Init")
    protected Session() {}

    /** A session nobody has joined yet; {@link #take} gives it its first seat. */
    @SuppressWarnings("NullAway.Init")
    static Session of(String room, Policy policy, String participant) {
        Session session = new Session();
        session.id = Ids.make('s');
        session.room = room;
        session.participant = participant;
        session.roomOpen = true;
        session.heartbeatSeconds = policy.heartbeatSeconds();
        session.leaseSeconds = policy.leaseSeconds();
        session.suspendedLeaseSeconds = policy.suspendedLeaseSeconds();
        session.state = SessionState.ABSENT.wire();
        session.take(Seat.empty(session.terms()));
        return session;
    }

    String id() {
        return id;
    }

    String room() {
        return room;
    }

    String participant() {
        return participant;
    }

    Terms terms() {
        return Terms.ofSeconds(heartbeatSeconds, leaseSeconds, suspendedLeaseSeconds);
    }

    Seat seat() {
        return new Seat(
                SessionState.of(state),
                generation,
                leaseUntil,
                provenAt,
                joinedAt,
                suspectAt,
                counter,
                ending == null ? null : Ending.of(ending),
                terms(),
                lapseTold);
    }

    void take(Seat seat) {
        boolean rejoined = seat.generation() != generation;
        state = seat.state().wire();
        generation = seat.generation();
        leaseUntil = seat.leaseUntil();
        provenAt = seat.provenAt();
        joinedAt = seat.joinedAt();
        suspectAt = seat.suspectAt();
        counter = seat.counter();
        ending = seat.ending() == null ? null : seat.ending().wire();
        lapseTold = seat.lapseTold();
        if (rejoined) {
            streamId = null;
            streamProcess = null;
            streamEndedAt = null;
            mediaState = null;
            mediaFlowing = null;
            mediaRttMs = null;
            mediaPacketsLost = null;
            mediaAt = null;
        }
    }

    /** Takes the session out of the renewal batch, which never looks at the room. */
    void fence() {
        roomOpen = false;
    }

    /** This connection is over; if the generation has a newer one, or none yet, that says nothing. */
    void streamEnded(String connection, Instant now) {
        if (connection.equals(streamId) && streamEndedAt == null) {
            streamEndedAt = now;
        }
    }

    /** True if this report is the change into failed. */
    boolean becomesFailed(MediaReport report) {
        return report.state() == MediaState.FAILED && !MediaState.FAILED.wire().equals(mediaState);
    }

    void hear(MediaReport report, Instant now) {
        mediaState = report.state().wire();
        mediaFlowing = report.flowing();
        mediaRttMs = report.rttMs();
        mediaPacketsLost = report.packetsLost();
        mediaAt = now;
    }

    SessionJson rosterEntry() {
        return new SessionJson(id, participant, generation, state, joinedAt, leaseUntil, suspectAt);
    }
}
