package io.huddle.stream;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a CDI bean as the handler of a method of the stream.
 *
 * <p>The method takes the {@link ClientStream} and the request message, for instance {@code URenewRequest}, and returns
 * the response message or a {@link java.util.concurrent.CompletionStage} of it. What it throws goes back as an error: a
 * {@link StreamError} with its text and flag, a {@link io.huddle.web.Refused} as its code with the flag set, anything else
 * as a plain error without details. The application does not start with two handlers of one prefix, or with a handler
 * whose parameters do not fit.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Handles {
    /** The method's prefix, for instance {@code uRenew}. */
    String value();

    /** False for a method that neither waits nor computes for long: it runs on the thread that read the frame. */
    boolean blocking() default true;
}
