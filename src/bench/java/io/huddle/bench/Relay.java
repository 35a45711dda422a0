package io.huddle.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * What lies before a node's link: passes everything, until one way is cut. Then what comes that way waits, as with a network
 * that loses the packets of one direction while the connection stays.
 */
final class Relay {
    private final int target;
    private boolean toTarget = true;
    private boolean fromTarget = true;

    Relay(int port, int target) throws IOException {
        this.target = target;
        ServerSocket listener = new ServerSocket(port, 64, InetAddress.getLoopbackAddress());
        start(() -> accept(listener));
    }

    synchronized void cutRequests() {
        toTarget = false;
    }

    synchronized void cutAnswers() {
        fromTarget = false;
    }

    synchronized void mend() {
        toTarget = true;
        fromTarget = true;
        notifyAll();
    }

    private synchronized void awaitPassage(boolean isRequest) throws InterruptedException {
        while (isRequest ? !toTarget : !fromTarget) {
            wait();
        }
    }

    private void accept(ServerSocket listener) {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                start(() -> pump(client, server, true));
                start(() -> pump(server, client, false));
            }
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void pump(Socket from, Socket to, boolean isRequest) {
        byte[] chunk = new byte[64 * 1024];
        try (from;
                to) {
            int read = from.getInputStream().read(chunk);
            while (read > 0) {
                awaitPassage(isRequest);
                to.getOutputStream().write(chunk, 0, read);
                read = from.getInputStream().read(chunk);
            }
        } catch (IOException ended) {
            // Either side has gone, and with it the other.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }
}
