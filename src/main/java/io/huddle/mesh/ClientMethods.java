package io.huddle.mesh;

import io.huddle.security.Identity;
import io.huddle.setting.Setting;
import io.huddle.stream.ByteSource;
import io.huddle.stream.ClientStream;
import io.huddle.stream.Handles;
import io.huddle.stream.StreamError;
import io.huddle.web.JsonText;
import io.huddle.web.Refusal;
import io.huddle.web.Refused;
import io.huddle.web.Text;
import io.huddle.wire.UCallRequest;
import io.huddle.wire.UCallResponse;
import io.huddle.wire.USetMetadataRequest;
import io.huddle.wire.USetMetadataResponse;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** What clients ask of each other and tell of themselves. */
@ApplicationScoped
public class ClientMethods {
    static final int LONGEST_TYPE = 200;
    static final long DEFAULT_TIMEOUT_MS = 30_000;
    static final long LONGEST_TIMEOUT_MS = 60_000;

    private final int metadataBytes = Setting.CLIENT_METADATA_BYTES.value();

    @Inject
    private Clients clients;

    @Inject
    private LocalCalls local;

    /** Calls another client; for keys with the role {@code integrator}, within their teams. */
    @Handles(value = "uCall", blocking = false)
    public CompletionStage<UCallResponse> call(ClientStream stream, UCallRequest request) {
        Identity.Client caller = Clients.integrator(stream);
        if (caller == null) {
            throw new Refused(Refusal.FORBIDDEN, "this needs a key with the role integrator");
        }
        Text.checked("type", request.getType(), LONGEST_TYPE);
        if (!JsonText.isValid(request.getData())) {
            throw Refused.invalid("data must be one JSON value");
        }
        Duration deadline = timeout(request);
        int id = request.getStreamId();
        ByteSource bytes = request.hasStreamId() ? receiver -> stream.receiveBytes(id, receiver) : null;
        return clients.exchange(
                        Reach.of(caller.teams()),
                        stream.connectionId(),
                        request.getToClient(),
                        request.getType(),
                        request.getData(),
                        bytes,
                        deadline)
                .thenApply(answer -> response(stream, answer));
    }

    private UCallResponse response(ClientStream stream, Clients.Answer answer) {
        UCallResponse.Builder response = UCallResponse.newBuilder().setData(answer.data());
        ByteSource bytes = answer.bytes();
        if (bytes != null) {
            try {
                response.setStreamId(local.pour(bytes, stream));
            } catch (StreamError full) {
                throw new Refused(Refusal.DELIVERY_INDETERMINATE, "the answer's byte stream has no room here");
            }
        }
        return response.build();
    }

    private static Duration timeout(UCallRequest request) {
        long ms = request.hasTimeoutMs() ? Integer.toUnsignedLong(request.getTimeoutMs()) : DEFAULT_TIMEOUT_MS;
        if (ms < 1 || ms > LONGEST_TIMEOUT_MS) {
            throw Refused.invalid("timeoutMs must be a whole number from 1 to " + LONGEST_TIMEOUT_MS);
        }
        return Duration.ofMillis(ms);
    }

    /** Replaces the stream's metadata, kept as it was sent. The handshake's query can only hold little. */
    @Handles(value = "uSetMetadata", blocking = false)
    public CompletionStage<USetMetadataResponse> setMetadata(ClientStream stream, USetMetadataRequest request) {
        String metadata = request.getMetadata();
        if (metadata.getBytes(StandardCharsets.UTF_8).length > metadataBytes) {
            throw new Refused(Refusal.PAYLOAD_TOO_LARGE, "metadata has at most " + metadataBytes + " bytes");
        }
        if (!JsonText.isObject(metadata)) {
            throw Refused.invalid("metadata must be one JSON object without a field twice");
        }
        return local.keep(stream, metadata)
                .thenApply(nothing ->
                        USetMetadataResponse.newBuilder().setAccepted(true).build());
    }
}
