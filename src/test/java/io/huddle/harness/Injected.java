package io.huddle.harness;

import java.lang.reflect.Field;

/** Does what the container does, for a bean that a test makes itself. */
public final class Injected {
    private Injected() {}

    /** Gives the bean what it has injected under this name. */
    public static <T> T into(T bean, String name, Object what) {
        try {
            Field field = bean.getClass().getDeclaredField(name);
            field.setAccessible(true);
            field.set(bean, what);
            return bean;
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("there is no field of this name: " + name, renamed);
        }
    }
}
