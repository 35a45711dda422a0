package io.huddle.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free loopback ports. They are taken from below the ephemeral range: a port that the kernel lends to some outgoing
 * connection while its node is down could not be bound again by a restart.
 */
public final class Ports {
    private static final int COUNT = 5_000;

    /** Each of the processes of one build has its own, since a free port is taken only a moment later. */
    private static final int FIRST = 20_000 + COUNT * ((Integer.getInteger("huddle.fork", 1) - 1) % 2);

    /** Starts at a place of this process's own, so that two test runs at once rarely ask for the same port. */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

    private Ports() {}

    /** A port that nothing listened on a moment ago and that this run has not handed out lately. */
    public static int free() {
        for (int tried = 0; tried < COUNT; tried++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port from " + FIRST + " to " + (FIRST + COUNT));
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
