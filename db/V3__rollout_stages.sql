-- The rollout stage of the deployment and of teams, what media servers and older systems observed, and where the
-- roster that is shown and the roster by leases differ.
-- The same text runs on PostgreSQL and on H2. Times are the database's clock, see io.huddle.time.

-- One row for the deployment, which is always there, and one for each team that has a stage of its own.
CREATE TABLE rollout_stage (
    -- 'deployment' or 'team:' and the team.
    scope      VARCHAR(210) NOT NULL PRIMARY KEY,
    stage      VARCHAR(10)  NOT NULL,
    changed_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- Empty for the stage a deployment begins with.
    changed_by VARCHAR(200) NOT NULL
);
INSERT INTO rollout_stage (scope, stage, changed_at, changed_by)
    VALUES ('deployment', 'alerting', CURRENT_TIMESTAMP, '');

-- The connection of the newest client stream of this generation; NULL if it has had none.
ALTER TABLE room_session ADD COLUMN stream_id VARCHAR(80);
-- The process of the node it leads to: when that is gone, so is the stream.
ALTER TABLE room_session ADD COLUMN stream_process VARCHAR(80);
-- When that stream ended; NULL while it is connected.
ALTER TABLE room_session ADD COLUMN stream_ended_at TIMESTAMP(6) WITH TIME ZONE;
-- Whether an expiry of this generation was computed and told without being applied: it is told once.
ALTER TABLE room_session ADD COLUMN lapse_told BOOLEAN DEFAULT FALSE NOT NULL;

-- The latest that each source told of each participant of a room.
CREATE TABLE room_observation (
    room_id     VARCHAR(40)  NOT NULL REFERENCES room (id),
    source      VARCHAR(100) NOT NULL,
    participant VARCHAR(200) NOT NULL,
    -- flowing, silent or gone.
    media       VARCHAR(10)  NOT NULL,
    -- As the source says, never after it was received; a later arrival of an older one changes nothing.
    observed_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    received_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (room_id, source, participant)
);

-- Where, and for how long, the two rosters of a room differed.
CREATE TABLE shadow_mismatch (
    id          VARCHAR(40)  NOT NULL PRIMARY KEY,
    room_id     VARCHAR(40)  NOT NULL,
    team        VARCHAR(200) NOT NULL,
    -- NULL for a participant that is observed and has never joined.
    session_id  VARCHAR(40),
    participant VARCHAR(200) NOT NULL,
    kind        VARCHAR(30)  NOT NULL,
    began_at    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- When a comparison last found it.
    seen_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    -- NULL while it lasts.
    ended_at    TIMESTAMP(6) WITH TIME ZONE,
    -- The participant while it lasts, NULL afterwards: with the constraint below at most one of a kind is open.
    open_participant VARCHAR(200),
    CONSTRAINT mismatch_open_once UNIQUE (room_id, kind, open_participant)
);
CREATE INDEX mismatch_by_age ON shadow_mismatch (began_at, id);
CREATE INDEX mismatch_by_end ON shadow_mismatch (ended_at);

-- One row for all nodes: up to when all rooms have been compared.
CREATE TABLE shadow_comparison (
    id INTEGER NOT NULL PRIMARY KEY,
    at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);
INSERT INTO shadow_comparison (id, at) VALUES (1, CURRENT_TIMESTAMP);
