package io.huddle.stream;

import io.huddle.wire.UEchoBytesRequest;
import io.huddle.wire.UEchoBytesResponse;
import io.huddle.wire.UEchoRequest;
import io.huddle.wire.UEchoResponse;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends back what a client sends, so that a connection can be tried and measured. Callers: every connected client. */
@ApplicationScoped
public class EchoMethods {
    @Handles(value = "uEcho", blocking = false)
    public UEchoResponse echo(ClientStream stream, UEchoRequest request) {
        return UEchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }

    /** Sends the client's byte stream back on one of the server's. */
    @Handles(value = "uEchoBytes", blocking = false)
    public UEchoBytesResponse echoBytes(ClientStream stream, UEchoBytesRequest request) {
        ByteSender back = stream.openBytes();
        try {
            back.whenBroken(stream.receiveBytes(request.getStreamId(), new Echo(back)));
        } catch (RuntimeException refused) {
            back.destroy(null);
            throw refused;
        }
        return UEchoBytesResponse.newBuilder().setStreamId(back.id()).build();
    }

    private record Echo(ByteSender back) implements ByteReceiver {
        @Override
        public CompletionStage<Void> accept(ByteBuffer chunk) {
            return back.write(chunk);
        }

        @Override
        public void finished() {
            var unused = back.finish();
        }

        @Override
        public void destroyed(@Nullable String reason) {
            back.destroy(reason);
        }
    }
}
