package io.huddle.mesh;

import com.google.protobuf.ByteString;
import io.huddle.link.LinkSender;
import io.huddle.stream.ByteReceiver;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A byte stream on its way to another node. */
record ToLink(LinkSender sender) implements ByteReceiver {
    @Override
    public CompletionStage<Void> accept(ByteBuffer chunk) {
        // Copied: it goes out after the stage has completed, when the chunk is its sender's again.
        return sender.write(ByteString.copyFrom(chunk));
    }

    @Override
    public void finished() {
        sender.finish();
    }

    @Override
    public void destroyed(@Nullable String reason) {
        sender.destroy(reason);
    }
}
