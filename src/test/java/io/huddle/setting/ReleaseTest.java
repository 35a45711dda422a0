package io.huddle.setting;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReleaseTest {
    @Test
    void version_ofThisBuild_isTheOneOfThePom() throws Exception {
        assertThat(Release.version()).matches("\\d+\\.\\d+\\.\\d+(-[A-Za-z0-9.]+)?");
        assertThat(Files.readString(Path.of("pom.xml"))).contains("<version>" + Release.version() + "</version>");
    }
}
