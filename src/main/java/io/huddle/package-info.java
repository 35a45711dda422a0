/** The application as a whole: where it is mounted, and how it starts. Everything else is in the packages below. */
@org.jspecify.annotations.NullMarked
package io.huddle;
