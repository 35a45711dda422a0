-- Who may open a client stream: the keys of service clients and devices, tickets, and the nonces that were used.
-- The same text runs on PostgreSQL and on H2. Times are the database's clock, see io.huddle.time.

CREATE TABLE client_key (
    client     VARCHAR(128) NOT NULL PRIMARY KEY,
    -- The names of roles, separated by commas.
    roles      VARCHAR(100) NOT NULL,
    created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    created_by VARCHAR(200) NOT NULL
);
CREATE INDEX client_key_by_age ON client_key (created_at, client);

CREATE TABLE client_team (
    client VARCHAR(128) NOT NULL REFERENCES client_key (client),
    team   VARCHAR(200) NOT NULL,
    PRIMARY KEY (client, team)
);

-- At most two of a client: the newest, and the one before it until the next rotation.
CREATE TABLE client_secret (
    id         VARCHAR(40)  NOT NULL PRIMARY KEY,
    client     VARCHAR(128) NOT NULL REFERENCES client_key (client),
    -- Counts the rotations of this client, from 1.
    number     INTEGER      NOT NULL,
    -- Sealed under a key that is not in the database, see io.huddle.security.
    sealed     VARCHAR(400) NOT NULL,
    created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    created_by VARCHAR(200) NOT NULL,
    CONSTRAINT client_secret_once UNIQUE (client, number)
);

-- At most one of a session: a new ticket voids the one before. Only its hash is stored.
CREATE TABLE client_ticket (
    session_id  VARCHAR(40) NOT NULL PRIMARY KEY,
    generation  BIGINT      NOT NULL,
    hash        VARCHAR(64) NOT NULL,
    expires_at  TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    consumed_at TIMESTAMP(6) WITH TIME ZONE,
    CONSTRAINT client_ticket_hash UNIQUE (hash)
);
CREATE INDEX client_ticket_by_age ON client_ticket (expires_at);

-- The hash of a client and a nonce it has used; kept for longer than its timestamp is accepted.
CREATE TABLE client_nonce (
    hash VARCHAR(64) NOT NULL PRIMARY KEY,
    at   TIMESTAMP(6) WITH TIME ZONE NOT NULL
);
CREATE INDEX client_nonce_by_age ON client_nonce (at);

-- Which client an operator's deed was about.
ALTER TABLE audit ADD COLUMN client VARCHAR(128);
