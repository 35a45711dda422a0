/**
 * What operators do, and the record of it.
 *
 * <p>Promises that every change by an operator has a reason and leaves an audit line in the transaction of the change.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.admin;
