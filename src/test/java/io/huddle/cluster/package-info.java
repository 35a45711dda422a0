/**
 * What happens between nodes: two real nodes on one real PostgreSQL, racing, stopped, killed, cut off.
 *
 * <p>It promises that each fault is provoked and not waited for, and that what is judged is what was committed: the events
 * table first, answers second. All classes share the two nodes of {@link io.huddle.cluster.Cluster}; a test may stop, kill
 * or cut whatever it likes, since the next one begins with {@link io.huddle.cluster.Cluster#heal()}. It must never call
 * the product's code or rely on the nodes' clocks: the second node's runs three minutes ahead where that can be had.
 */
@NullMarked
package io.huddle.cluster;

import org.jspecify.annotations.NullMarked;
