/**
 * Every setting of the product: its name, default, unit and bounds, in one table.
 *
 * <p>Promises that a value out of bounds, or a {@code huddle.*} property that means nothing, stops the start with
 * a sentence that names it; names derived from the environment are not ours to judge. Never holds a value of its own: MicroProfile Config does.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.setting;
