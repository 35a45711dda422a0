-- Drift, window by window, the alerts that came of it, and what is still to be told to the webhook.
-- The same text runs on PostgreSQL and on H2. Times are the database's clock, see io.huddle.time.

-- One row: who holds it judges. Also what the next window must know of the one before.
CREATE TABLE drift_turn (
    id            INTEGER NOT NULL PRIMARY KEY,
    -- For how many windows on end so many rooms have had an alert that it is one trouble; -1 while it is not.
    spread        INTEGER NOT NULL
);
INSERT INTO drift_turn (id, spread) VALUES (1, -1);

-- A window that was judged. One that nobody judged has no row: it is no data.
CREATE TABLE drift_window (
    started_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL PRIMARY KEY,
    seconds       INTEGER     NOT NULL,
    judged_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    version       VARCHAR(16) NOT NULL,
    sessions      INTEGER     NOT NULL
);

-- What a window found of a room; nothing of rooms that agree.
CREATE TABLE drift_room (
    started_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL REFERENCES drift_window (started_at) ON DELETE CASCADE,
    room_id       VARCHAR(40) NOT NULL,
    kind          VARCHAR(20) NOT NULL,
    PRIMARY KEY (started_at, room_id, kind)
);

-- The rooms that drift, by the newest window.
CREATE VIEW drifting_room AS
    SELECT room_id, kind, started_at FROM drift_room
    WHERE started_at = (SELECT max(started_at) FROM drift_window);

-- Refusals of older generations, as the nodes have counted them. Each node has rows of its own, so that none waits.
CREATE TABLE drift_rejection (
    started_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    room_id       VARCHAR(40) NOT NULL,
    counted_by    VARCHAR(40) NOT NULL,
    rejections    INTEGER     NOT NULL,
    PRIMARY KEY (started_at, room_id, counted_by)
);

-- The settings behind a version, so that an old alert can be understood.
CREATE TABLE alert_version (
    version       VARCHAR(16)   NOT NULL PRIMARY KEY,
    settings      VARCHAR(1000) NOT NULL,
    first_used_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

-- Room ids refer to nothing: an alert may outlive its room.
CREATE TABLE alert (
    id            VARCHAR(40)  NOT NULL PRIMARY KEY,
    group_id      VARCHAR(40)  NOT NULL,
    room_id       VARCHAR(40)  NOT NULL,
    kind          VARCHAR(20)  NOT NULL,
    -- The room while the alert is open, NULL afterwards: at most one of a room and kind is open.
    open_room     VARCHAR(40),
    severity      VARCHAR(12)  NOT NULL,
    version       VARCHAR(16)  NOT NULL,
    clean_windows INTEGER      NOT NULL,
    room_state    VARCHAR(10)  NOT NULL,
    active_leases INTEGER      NOT NULL,
    suspects      INTEGER      NOT NULL,
    -- The last proof of life that is the longest ago; NULL when nobody is leased.
    oldest_proof_seconds BIGINT,
    last_transition    VARCHAR(40),
    last_transition_at TIMESTAMP(6) WITH TIME ZONE,
    opened_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    paged_at      TIMESTAMP(6) WITH TIME ZONE,
    updated_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    closed_at     TIMESTAMP(6) WITH TIME ZONE,
    close_reason  VARCHAR(20),
    CONSTRAINT alert_open_once UNIQUE (open_room, kind)
);
CREATE INDEX alert_by_age ON alert (opened_at, id);
CREATE INDEX alert_by_end ON alert (closed_at);

-- What the webhook is to be told, written with the change that it tells of.
CREATE TABLE alert_message (
    id            VARCHAR(40)   NOT NULL PRIMARY KEY,
    group_id      VARCHAR(40)   NOT NULL,
    body          VARCHAR(32000) NOT NULL,
    created_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- Nobody tries before this instant; a try moves it on before it begins, so that no other node joins in.
    due_at        TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    tries         INTEGER       NOT NULL,
    done_at       TIMESTAMP(6) WITH TIME ZONE,
    outcome       VARCHAR(12)
);
CREATE INDEX alert_message_by_end ON alert_message (done_at, due_at);
CREATE INDEX alert_message_by_group ON alert_message (group_id, created_at);
