/**
 * The ground under every transaction: the schema, the kind of database, and what a failure of it means.
 *
 * <p>Promises that the schema is the one this build was made for, that every pooled connection is bounded in time, and
 * that a conflict is retried while an outage is told apart from a defect. Holds no table of its own.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.store;
