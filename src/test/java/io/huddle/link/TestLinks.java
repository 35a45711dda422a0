package io.huddle.link;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The links of several nodes in one JVM, for tests of what is above. The window of a stream is 128 KiB, a link has 16 each
 * way.
 */
public final class TestLinks implements AutoCloseable {
    private final Town town = new Town();

    private static final class Linked extends Links {
        private final Town.House house;

        Linked(Town.House house) {
            this.house = house;
        }

        @Override
        public boolean isEnabled() {
            return false;
        }

        @Override
        public boolean isFresh(long number, String process) {
            return house.board.isFresh(number, process);
        }

        @Override
        public CompletionStage<ByteString> call(Peer peer, String operation, ByteString request, Duration deadline) {
            return house.board.call(peer, operation, request, deadline);
        }

        @Override
        public LinkSender open(Peer peer, String operation, ByteString request) {
            return house.board.open(peer, operation, request);
        }

        @Override
        public void serve(String operation, LinkHandler handler) {
            house.operations.serve(operation, handler);
        }

        @Override
        public void serveBytes(String operation, LinkAcceptor acceptor) {
            house.operations.serveBytes(operation, acceptor);
        }
    }

    /** Those of one more node. */
    public Links of(long number, String process) {
        return new Linked(town.add(number, process));
    }

    /** Resets every link there is; others may be opened. */
    public void cut() {
        town.pipes().forEach(Pipe::cut);
    }

    /** True if no link has anything under way. */
    public boolean isIdle(String... processes) {
        for (String process : processes) {
            if (town.house(process).board.hasWork()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        town.close();
    }
}
