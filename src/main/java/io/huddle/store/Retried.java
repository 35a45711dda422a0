package io.huddle.store;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method again, in a new transaction, when it lost a race in the database: a uniqueness constraint, a deadlock.
 *
 * <p>Goes together with {@code @Transactional} and lies outside of it. After the last try, or when the database is down,
 * the caller gets {@link DatabaseUnavailable}. Inside a running transaction it does nothing: the outermost one retries.
 */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Retried {}
