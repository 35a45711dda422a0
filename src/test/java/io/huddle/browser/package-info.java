/** The page in a real browser: Chromium, where the machine has one with its driver. */
@org.jspecify.annotations.NullMarked
package io.huddle.browser;
