package io.huddle.link;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.huddle.link.wire.Header;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Puts frames together from bytes as they come, wherever they were cut. For one thread at a time.
 *
 * <p>Both lengths are judged before anything of the frame is kept, and what is kept grows with what has arrived and not
 * with what was announced.
 */
final class FrameReader {
    private static final byte[] NOTHING = {};

    private final int mostBody;
    private byte[] kept = NOTHING;
    private int size;

    FrameReader(int mostBody) {
        this.mostBody = mostBody;
    }

    /** Takes one frame. */
    @FunctionalInterface
    interface Sink {
        void take(Frame frame) throws MalformedFrame;
    }

    /** Reads all of the part, and gives every frame that it completes. */
    void read(ByteBuffer part, Sink sink) throws MalformedFrame {
        while (part.hasRemaining()) {
            if (size == 0) {
                int whole = wholeFrame(part);
                if (whole == 0) {
                    keep(part, part.remaining());
                    return;
                }
                byte[] frame = new byte[whole];
                part.get(frame);
                sink.take(parse(frame));
            } else {
                complete(part, sink);
            }
        }
    }

    private void complete(ByteBuffer part, Sink sink) throws MalformedFrame {
        int wanted = size < Frame.PREFIX_BYTES ? Frame.PREFIX_BYTES : frameSize(ByteBuffer.wrap(kept));
        keep(part, Math.min(part.remaining(), wanted - size));
        if (size >= Frame.PREFIX_BYTES && size == frameSize(ByteBuffer.wrap(kept))) {
            byte[] frame = Arrays.copyOf(kept, size);
            size = 0;
            kept = NOTHING;
            sink.take(parse(frame));
        }
    }

    private void keep(ByteBuffer part, int count) throws MalformedFrame {
        if (kept.length < size + count) {
            kept = Arrays.copyOf(kept, Math.max(size + count, kept.length * 2));
        }
        part.get(kept, size, count);
        size += count;
        if (size >= Frame.PREFIX_BYTES) {
            frameSize(ByteBuffer.wrap(kept));
        }
    }

    /** The size of the frame that begins here, zero if not all of it is here. */
    private int wholeFrame(ByteBuffer part) throws MalformedFrame {
        if (part.remaining() < Frame.PREFIX_BYTES) {
            return 0;
        }
        int whole = frameSize(part.slice());
        return part.remaining() < whole ? 0 : whole;
    }

    private int frameSize(ByteBuffer start) throws MalformedFrame {
        int header = start.getInt(0);
        int body = start.getInt(4);
        if (header <= 0 || header > Frame.MOST_HEADER_BYTES || body < 0 || body > mostBody) {
            throw new MalformedFrame("a frame with " + header + " bytes of header and " + body + " of body");
        }
        return Frame.PREFIX_BYTES + header + body;
    }

    private static Frame parse(byte[] frame) throws MalformedFrame {
        int header = ByteBuffer.wrap(frame).getInt(0);
        int body = Frame.PREFIX_BYTES + header;
        try {
            ByteString bytes = ByteString.copyFrom(frame, Frame.PREFIX_BYTES, header);
            return new Frame(Header.parseFrom(bytes), ByteString.copyFrom(frame, body, frame.length - body));
        } catch (InvalidProtocolBufferException unreadable) {
            throw new MalformedFrame("a frame whose header cannot be read");
        }
    }
}
