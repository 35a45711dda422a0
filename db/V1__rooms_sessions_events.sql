-- Rooms, the sessions in them, their events, the sweep's heartbeat and the audit.
-- The same text runs on PostgreSQL and on H2. Times are the database's clock, see io.huddle.time.

CREATE TABLE room (
    id                      VARCHAR(40)  NOT NULL PRIMARY KEY,
    team                    VARCHAR(200) NOT NULL,
    occurrence              VARCHAR(400) NOT NULL,
    -- The occurrence while the room is open, NULL afterwards: with the constraint below at most one
    -- room of a (team, occurrence) is open, and a closing room makes way for the next at once.
    open_occurrence         VARCHAR(400),
    label                   VARCHAR(400),
    critical                BOOLEAN      NOT NULL,
    synthetic               BOOLEAN      NOT NULL,
    heartbeat_seconds       INTEGER      NOT NULL,
    lease_seconds           INTEGER      NOT NULL,
    suspended_lease_seconds INTEGER      NOT NULL,
    max_participants        INTEGER      NOT NULL,
    state                   VARCHAR(10)  NOT NULL,
    created_by              VARCHAR(200) NOT NULL,
    created_at              TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    closing_at              TIMESTAMP(6) WITH TIME ZONE,
    closed_at               TIMESTAMP(6) WITH TIME ZONE,
    close_reason            VARCHAR(20),
    seq                     BIGINT       NOT NULL,
    idempotency_key         VARCHAR(255) NOT NULL,
    fingerprint             VARCHAR(80)  NOT NULL,
    CONSTRAINT room_created_once UNIQUE (team, occurrence, idempotency_key),
    CONSTRAINT room_open_once UNIQUE (team, open_occurrence)
);
CREATE INDEX room_by_team ON room (team, created_at, id);
CREATE INDEX room_by_age ON room (created_at, id);
CREATE INDEX room_by_state ON room (state, created_at);

CREATE TABLE room_session (
    id                   VARCHAR(40)  NOT NULL PRIMARY KEY,
    room_id              VARCHAR(40)  NOT NULL REFERENCES room (id),
    participant          VARCHAR(200) NOT NULL,
    generation           BIGINT       NOT NULL,
    state                VARCHAR(10)  NOT NULL,
    ending               VARCHAR(12),
    -- For a live session the instant until which it counts; for an absent one the instant it ended.
    lease_until          TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- The last proof of life: a join, a renewal or a suspend of the current generation.
    proven_at            TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    suspect_at           TIMESTAMP(6) WITH TIME ZONE,
    joined_at            TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- The highest counter seen in this generation, -1 before the first.
    counter              BIGINT       NOT NULL,
    -- Copied from the room, so that the renewal batch never has to touch a room.
    room_open            BOOLEAN      NOT NULL,
    heartbeat_seconds       INTEGER   NOT NULL,
    lease_seconds           INTEGER   NOT NULL,
    suspended_lease_seconds INTEGER   NOT NULL,
    media_state          VARCHAR(12),
    media_flowing        BOOLEAN,
    media_rtt_ms         INTEGER,
    media_packets_lost   BIGINT,
    media_at             TIMESTAMP(6) WITH TIME ZONE,
    CONSTRAINT session_once UNIQUE (room_id, participant)
);
-- No index holds lease_until: a renewal then changes no index entry, which is what makes it cheap.
CREATE INDEX session_by_state ON room_session (state);

-- Which generation a join's idempotency key made.
CREATE TABLE session_join (
    session_id  VARCHAR(40)  NOT NULL REFERENCES room_session (id),
    join_key    VARCHAR(255) NOT NULL,
    generation  BIGINT       NOT NULL,
    PRIMARY KEY (session_id, join_key)
);

CREATE TABLE room_event (
    room_id     VARCHAR(40)  NOT NULL REFERENCES room (id),
    seq         BIGINT       NOT NULL,
    id          VARCHAR(40)  NOT NULL,
    type        VARCHAR(40)  NOT NULL,
    session_id  VARCHAR(40),
    participant VARCHAR(200),
    generation  BIGINT,
    prior       VARCHAR(10),
    next        VARCHAR(10)  NOT NULL,
    reason      VARCHAR(40),
    at          TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    shadow      BOOLEAN      NOT NULL,
    PRIMARY KEY (room_id, seq),
    CONSTRAINT room_event_id UNIQUE (id)
);
CREATE INDEX room_event_by_age ON room_event (at);

-- One row for all sweeps of all nodes: the instant up to which expiry has been judged.
CREATE TABLE sweep_heartbeat (
    id        INTEGER NOT NULL PRIMARY KEY,
    at        TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    graced_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);
INSERT INTO sweep_heartbeat (id, at, graced_at) VALUES (1, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP);

-- Append-only: what operators did, and why they said they did it.
CREATE TABLE audit (
    id         VARCHAR(40)  NOT NULL PRIMARY KEY,
    at         TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    actor      VARCHAR(200) NOT NULL,
    action     VARCHAR(40)  NOT NULL,
    reason     VARCHAR(400),
    room_id    VARCHAR(40),
    session_id VARCHAR(40),
    generation BIGINT
);
CREATE INDEX audit_by_age ON audit (at, id);
