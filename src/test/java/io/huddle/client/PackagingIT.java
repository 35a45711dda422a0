package io.huddle.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** What the build packages for whom. */
class PackagingIT {
    @Test
    void clientJar_holdsTheClientAndTheWireAndNothingElse() throws IOException {
        List<String> names = names("huddle-client.jar");
        assertThat(names)
                .contains(
                        "io/huddle/client/HuddleClient.class",
                        "io/huddle/wire/ClientMessage.class",
                        "io/huddle/wire/CanonicalHandshake.class",
                        "huddle.proto")
                .allMatch(name -> name.startsWith("io/huddle/client/")
                        || name.startsWith("io/huddle/wire/")
                        || name.startsWith("META-INF/")
                        || name.equals("huddle.proto"));
    }

    /** Beside protobuf-java alone: a client is made and says that nobody listens. */
    @Test
    void clientJar_withProtobufOnly_works() throws Exception {
        URL protobuf = Message.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader alone = new URLClassLoader(
                new URL[] {built("huddle-client.jar").toUri().toURL(), protobuf},
                ClassLoader.getPlatformClassLoader())) {
            Class<?> client = alone.loadClass("io.huddle.client.HuddleClient");
            Class<?> key = alone.loadClass("io.huddle.client.ClientKey");
            Class<?> options = alone.loadClass("io.huddle.client.ClientOptions");
            Object made = client.getMethod("withKey", URI.class, key, options)
                    .invoke(
                            null,
                            URI.create("ws://localhost:1/stream"),
                            key.getConstructor(String.class, String.class).newInstance("c-1", "secret"),
                            options.getMethod("defaults").invoke(null));
            Object connecting = client.getMethod("connect").invoke(made);
            assertThat(connecting).isInstanceOf(CompletableFuture.class);
            assertThatThrownBy(() -> ((CompletableFuture<?>) connecting).get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("unreachable");
        }
    }

    @Test
    void war_holdsTheWireButNotTheClient() throws IOException {
        assertThat(names("huddle.war"))
                .contains("WEB-INF/classes/io/huddle/wire/ClientMessage.class")
                .noneMatch(name -> name.contains("io/huddle/client"));
    }

    private static List<String> names(String archive) throws IOException {
        try (ZipFile zip = new ZipFile(built(archive).toFile())) {
            return zip.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
        }
    }

    /** In the folder of the build, where the nodes' folder is, too. */
    private static Path built(String archive) {
        return Path.of(System.getProperty("huddle.nodes", "target/nodes")).resolveSibling(archive);
    }
}
