/**
 * What every HTTP answer has in common: problems, limits, strict JSON, headers.
 *
 * <p>Promises that wrong input is answered with one of the documented problems and nothing else: no stack trace, no SQL,
 * no class name. Knows nothing of rooms.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.web;
