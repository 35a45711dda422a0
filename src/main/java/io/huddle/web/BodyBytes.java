package io.huddle.web;

import io.huddle.setting.Setting;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On the {@link RequestBody} of a resource method: which setting limits it, in place of {@link Setting#BODY_BYTES}. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface BodyBytes {
    Setting value();
}
