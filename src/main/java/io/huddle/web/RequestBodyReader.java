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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads a body up to the limit, also one that came without a length. Where a body is optional the resource takes any media
 * type, so that none need be named for nothing; what is there must be JSON all the same.
 */
@Provider
@Consumes(MediaType.WILDCARD)
public class RequestBodyReader implements MessageBodyReader<RequestBody> {
    private final Map<Setting, Integer> limits = new ConcurrentHashMap<>();

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
        int limit = limit(annotations);
        byte[] bytes = read(entity, limit);
        if (bytes.length > limit) {
            throw BodyLimit.tooLarge(limit);
        }
        if (bytes.length > 0 && !MediaType.APPLICATION_JSON_TYPE.equals(plain(media))) {
            throw new Refused(Refusal.UNSUPPORTED_MEDIA_TYPE, "Send Content-Type: application/json.");
        }
        return RequestBody.parse(bytes);
    }

    /** A broken chunk, a broken gzip or a caller that went away: whatever it is, it is not our defect. */
    private static byte[] read(InputStream entity, int limit) {
        try {
            return entity.readNBytes(limit + 1);
        } catch (IOException | RuntimeException unreadable) {
            throw Refused.invalid("the body could not be read: its encoding or its length is wrong");
        }
    }

    private int limit(Annotation[] annotations) {
        Setting which = Setting.BODY_BYTES;
        for (Annotation annotation : annotations) {
            which = annotation instanceof BodyBytes own ? own.value() : which;
        }
        return limits.computeIfAbsent(which, Setting::value);
    }

    private static MediaType plain(MediaType media) {
        return new MediaType(media.getType(), media.getSubtype());
    }
}
