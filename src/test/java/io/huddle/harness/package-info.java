/**
 * What the integration tests stand on: real nodes of the packaged server, a real PostgreSQL, real tokens, a network that
 * can fail, and a clock that can be moved.
 *
 * <p>It promises that nothing it starts outlives the test run: children are ended by a shutdown hook, and those of a run
 * that was itself killed are ended by the next one. It waits for conditions with a deadline and never sleeps. It must
 * never import the product: what it knows of the product is what a stranger would know, the environment of a node, the
 * REST contract and the database.
 */
@NullMarked
package io.huddle.harness;

import org.jspecify.annotations.NullMarked;
