/**
 * Who is calling: the token's subject, roles and teams, and the demo sign-in.
 *
 * <p>Promises that the demo exists only on loopback, and that a caller is never identified by anything but a verified
 * token. Decides nothing about rooms.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.security;
