package io.huddle.store;

/** The schema was asserted: from now on background work may touch the database. Fired once a start. */
public record DatabaseReady(Dialect dialect) {}
