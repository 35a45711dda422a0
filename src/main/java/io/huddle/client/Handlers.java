package io.huddle.client;

import com.google.protobuf.Message;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Who answers which method of the server, over all connections of one client. For any thread. */
final class Handlers {
    private final Map<Integer, Entry> byNumber = new ConcurrentHashMap<>();
    private final BiConsumer<String, @Nullable Throwable> defects;

    /** A handler whose request type was checked against its method. */
    @FunctionalInterface
    interface Entry {
        CompletionStage<? extends Message> handle(Message request) throws Exception;
    }

    Handlers(BiConsumer<String, @Nullable Throwable> defects) {
        this.defects = defects;
    }

    /** @throws IllegalStateException if the method has a handler */
    void add(Methods.Method method, Entry entry) {
        if (byNumber.putIfAbsent(method.number(), entry) != null) {
            throw new IllegalStateException(method.name() + " has a handler");
        }
    }

    @Nullable
    Entry find(int number) {
        return byNumber.get(number);
    }

    /** The server only hears {@code internal-error}; the owner of the handler hears what it was. */
    void defect(String method, @Nullable Throwable cause) {
        defects.accept(method, cause);
    }
}
