/**
 * What operators find, see and do, and the record of it.
 *
 * <p>Promises that every change by an operator has a reason and leaves an audit line in the transaction of the change,
 * and that whoever looks at a roster as an operator is noted. Searches read what other packages own and change nothing of it;
 * no secret of the configuration is in any answer.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.admin;
