package io.huddle.web;

import io.huddle.setting.Setting;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;

/** Reads a body up to the limit, also one that came without a length. */
@Provider
@Consumes(MediaType.APPLICATION_JSON)
public class RequestBodyReader implements MessageBodyReader<RequestBody> {
    private final int limit = Setting.BODY_BYTES.value();

    @Override
    public boolean isReadable(Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
        return type == RequestBody.class;
    }

    @Override
    public RequestBody readFrom(
            Class<RequestBody> type,
            Type generic,
            Annotation[] annotations,
            MediaType media,
            MultivaluedMap<String, String> headers,
            InputStream entity)
            throws IOException {
        byte[] bytes = entity.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw BodyLimit.tooLarge(limit);
        }
        return RequestBody.parse(bytes);
    }
}
