/**
 * Where the roster and the audio disagree, and when somebody has to be told.
 *
 * <p>Owns the windows of drift, the alerts and their delivery to a webhook. Promises that a window is judged once at most,
 * that its alerts change in the same transaction, and that a window nobody judged neither raises an alert nor clears one.
 * Never changes a room, a session or a lease, and never tells more of a room than its opaque id and figures.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.drift;
