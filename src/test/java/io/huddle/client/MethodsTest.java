package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.huddle.wire.ClientMessage;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DEventsRequest;
import io.huddle.wire.ServerMessage;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import org.junit.jupiter.api.Test;

class MethodsTest {
    @Test
    void methods_ofTheWire_areKnownByTheirPrefixes() {
        assertThat(Methods.ALL.called(UEchoRequest.class, UEchoResponse.class).name())
                .isEqualTo("uEcho");
        assertThat(Methods.ALL.served(DCallRequest.class).name()).isEqualTo("dCall");
        assertThat(Methods.ALL.served(DEventsRequest.class).number())
                .isEqualTo(ServerMessage.D_EVENTS_REQUEST_FIELD_NUMBER);
        assertThat(Methods.ALL.served(ServerMessage.U_ECHO_RESPONSE_FIELD_NUMBER))
                .isNull();
    }

    @Test
    void methods_eachNumberOfTheWire_hasBothItsSides() {
        for (FieldDescriptor field : ClientMessage.getDescriptor().getFields()) {
            if (field.getNumber() >= 100) {
                FieldDescriptor other = ServerMessage.getDescriptor().findFieldByNumber(field.getNumber());
                boolean called = field.getName().endsWith("_request");
                assertThat(other.getName())
                        .isEqualTo(field.getName()
                                .replaceFirst("_(request|response)$", called ? "_response" : "_request"));
            }
        }
    }
}
