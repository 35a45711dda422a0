/**
 * The connection to Redis and the scripts that run there. One client per node, made from configuration, absent where none is
 * configured; knows nothing of what it carries. Never logs a value, an address with a password or a key's content.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.redis;
