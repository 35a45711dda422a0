/**
 * The durable room events: append, query after a number, live feed.
 *
 * <p>Promises that a room's numbers have no gap and no duplicate and that committing order is their order; whoever
 * appends holds the room's row. An event never carries a name, a label or free text.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.event;
