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

/**
 * Reads a body up to the limit, also one that came without a length. Where a body is optional the resource takes any media
 * type, so that none need be named for nothing; what is there must be JSON all the same.
 */
@Provider
@Consumes(MediaType.WILDCARD)
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
        byte[] bytes = read(entity);
        if (bytes.length > limit) {
            throw BodyLimit.tooLarge(limit);
        }
        if (bytes.length > 0 && !MediaType.APPLICATION_JSON_TYPE.equals(plain(media))) {
            throw new Refused(Refusal.UNSUPPORTED_MEDIA_TYPE, "Send Content-Type: application/json.");
        }
        return RequestBody.parse(bytes);
    }

    /** A broken chunk, a broken gzip or a caller that went away: whatever it is, it is not our defect. */
    private byte[] read(InputStream entity) {
        try {
            return entity.readNBytes(limit + 1);
        } catch (IOException | RuntimeException unreadable) {
            throw Refused.invalid("the body could not be read: its encoding or its length is wrong");
        }
    }

    private static MediaType plain(MediaType media) {
        return new MediaType(media.getType(), media.getSubtype());
    }
}
