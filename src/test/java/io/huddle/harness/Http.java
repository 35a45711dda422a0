package io.huddle.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The HTTP client that all of the harness shares: version 1.1, so that no test depends on an upgrade to version 2. */
final class Http {
    private static final HttpClient CLIENT;

    static {
        // A test that forges the Host header needs this, and the JDK reads it once, with the first request or client.
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
        CLIENT = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
    }

    private Http() {}

    static HttpClient client() {
        return CLIENT;
    }

    /** Starts a request. No request may be started elsewhere, or the setting above would come too late. */
    static HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri);
    }

    /**
     * Sends and waits for the answer.
     *
     * @throws UncheckedIOException when there is none: refused, reset, or not in time
     */
    static <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body) {
        try {
            return CLIENT.send(request, body);
        } catch (IOException failed) {
            throw new UncheckedIOException(request.method() + " " + request.uri(), failed);
        } catch (InterruptedException interrupted) {
            throw Processes.interrupted(interrupted);
        }
    }
}
