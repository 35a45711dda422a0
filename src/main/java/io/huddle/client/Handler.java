package io.huddle.client;

import com.google.protobuf.Message;

/** Answers a method of the server at once, on a thread of the client's executor. */
@FunctionalInterface
public interface Handler<Q extends Message, R extends Message> {
    /** @throws RemoteError to refuse; anything else becomes {@code internal-error} */
    R handle(Q request) throws Exception;
}
