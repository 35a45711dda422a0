package io.huddle.store;

/** The databases Huddle runs on. The migrations are the same; only the renewal batch and the alias of the clock differ. */
public enum Dialect {
    POSTGRESQL,
    H2;

    static Dialect of(String product) {
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "H2" -> H2;
            default ->
                throw new IllegalStateException(
                        "Huddle runs on PostgreSQL 15 or later and on H2, but db.url leads to " + product);
        };
    }
}
