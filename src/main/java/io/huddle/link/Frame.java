package io.huddle.link;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.huddle.link.wire.Header;
import java.io.IOException;
import java.util.List;

/** One frame of a link. Immutable. */
record Frame(Header header, ByteString body) {
    /** The two lengths before the header. */
    static final int PREFIX_BYTES = 8;

    static final int MOST_HEADER_BYTES = 65_536;

    static Frame of(Header.Builder header) {
        return new Frame(header.build(), ByteString.EMPTY);
    }

    int bytes() {
        return PREFIX_BYTES + header.getSerializedSize() + body.size();
    }

    /** Frames in the form of the wire, one after the other. */
    static byte[] encode(List<Frame> frames) {
        int size = 0;
        for (Frame frame : frames) {
            size += frame.bytes();
        }
        byte[] bytes = new byte[size];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            for (Frame frame : frames) {
                writeLength(out, frame.header.getSerializedSize());
                writeLength(out, frame.body.size());
                frame.header.writeTo(out);
                out.writeRawBytes(frame.body);
            }
            out.checkNoSpaceLeft();
        } catch (IOException impossible) {
            throw new IllegalStateException("an array of " + size + " bytes cannot fail", impossible);
        }
        return bytes;
    }

    private static void writeLength(CodedOutputStream out, int length) throws IOException {
        out.writeRawByte((byte) (length >>> 24));
        out.writeRawByte((byte) (length >>> 16));
        out.writeRawByte((byte) (length >>> 8));
        out.writeRawByte((byte) length);
    }
}
