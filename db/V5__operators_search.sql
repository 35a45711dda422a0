-- What operators search by, and what a deed was about that is no room, session or client.
-- The same text runs on PostgreSQL and on H2. Times are the database's clock, see io.huddle.time.

-- A chunk of orphans, a node, the scope of a stage.
ALTER TABLE audit ADD COLUMN target VARCHAR(250);
UPDATE audit SET target = client, client = NULL WHERE action = 'orphan.retry';

CREATE INDEX audit_by_actor ON audit (actor, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE INDEX audit_by_room ON audit (room_id, at, id);

-- Pages of rooms and sessions are read in the order of the index, newest first. A renewal still changes no entry.
DROP INDEX room_by_state;
CREATE INDEX room_by_state ON room (state, created_at, id);
DROP INDEX session_by_state;
CREATE INDEX session_by_state ON room_session (state, joined_at, id);
