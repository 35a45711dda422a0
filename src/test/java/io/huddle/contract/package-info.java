/**
 * The REST contract and the session state table, shown on one packaged node, on H2 and on PostgreSQL.
 *
 * <p>Every class here runs once for each kind of database. It promises that a refused request is looked at twice: at its
 * answer and at the tables, which must not know of it. It must never import the product.
 */
@NullMarked
package io.huddle.contract;

import org.jspecify.annotations.NullMarked;
