package io.huddle.stream;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.huddle.wire.ClientMessage;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;

/** Finds the handlers among the CDI beans. */
@ApplicationScoped
public class Handlers {
    @Inject
    private BeanManager beans;

    /** One handler: a public method of a bean, called through the bean's reference, so that interceptors see it. */
    record Handler(String prefix, boolean blocking, MethodHandle method) {
        Object invoke(ClientStream stream, Message request) throws Throwable {
            return method.invoke(stream, request);
        }
    }

    /**
     * The handlers by the number of their method.
     *
     * @throws IllegalStateException naming the method that does not fit, or the two of one prefix
     */
    Map<Integer, Handler> find() {
        Map<Integer, Handler> found = new HashMap<>();
        for (Bean<?> bean : beans.getBeans(Object.class, Any.Literal.INSTANCE)) {
            for (Method method : bean.getBeanClass().getMethods()) {
                Handles handles = method.getAnnotation(Handles.class);
                if (handles != null && bean.getTypes().contains(bean.getBeanClass())) {
                    FieldDescriptor request = request(handles, method);
                    Handler before = found.put(request.getNumber(), handler(bean, method, handles));
                    if (before != null) {
                        throw new IllegalStateException("two handlers of " + handles.value());
                    }
                }
            }
        }
        return Map.copyOf(found);
    }

    private static FieldDescriptor request(Handles handles, Method method) {
        FieldDescriptor field = Methods.clientRequest(handles.value());
        if (field == null) {
            throw unfit(method, "no request of a client is called " + handles.value() + "Request");
        }
        Class<?>[] parameters = method.getParameterTypes();
        boolean fits = parameters.length == 2
                && parameters[0] == ClientStream.class
                && parameters[1]
                        == ClientMessage.getDefaultInstance().getField(field).getClass();
        if (!fits || !Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
            throw unfit(
                    method,
                    "a handler is a public method of a public class and takes (ClientStream, "
                            + field.getMessageType().getName() + ")");
        }
        return field;
    }

    private Handler handler(Bean<?> bean, Method method, Handles handles) {
        Object reference = beans.getReference(bean, bean.getBeanClass(), beans.createCreationalContext(bean));
        try {
            MethodHandle handle = MethodHandles.publicLookup().unreflect(method).bindTo(reference);
            return new Handler(
                    handles.value(),
                    handles.blocking(),
                    handle.asType(handle.type().changeReturnType(Object.class).changeParameterType(1, Message.class)));
        } catch (IllegalAccessException inaccessible) {
            throw unfit(method, "it cannot be called: " + inaccessible.getMessage());
        }
    }

    private static IllegalStateException unfit(Method method, String why) {
        return new IllegalStateException(
                method.getDeclaringClass().getSimpleName() + "." + method.getName() + " is no handler: " + why);
    }
}
