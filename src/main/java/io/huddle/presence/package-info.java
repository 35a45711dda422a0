/**
 * Who is in a room: sessions, generations, leases, the sweep, the roster, and the end of all three when a room closes.
 *
 * <p>Promises the three invariants: a room that is not open accepts no join; at most one generation of a session can
 * renew, leave or suspend; the roster converges to the unexpired leases. The pure rules are {@code SessionRules} and
 * {@code SessionLifecycle}; everything else here carries them out under locks taken in one order: room, then sessions by
 * id.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.presence;
