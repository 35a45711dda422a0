/**
 * The wire of the client stream: the messages generated from {@code src/main/proto} and the canonical form that a
 * signature covers. Pure; shared by the server and the Java client, and without any other class of Huddle. Only the
 * classes that are written by hand are marked for the null checker.
 */
package io.huddle.wire;
