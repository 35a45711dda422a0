package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletedKeysTest {
    @Test
    void client_thereAndBack_isTheSame() {
        assertThat(DeletedKeys.client(DeletedKeys.json("c-badge-7"))).hasValue("c-badge-7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"client\":7}",
                "{\"client\":null}",
                "{\"client\":\"s-00000000000000000000000000\"}",
                "{\"client\":\"c-x\"",
            })
    void message_thatIsNone_concernsNobody(String json) {
        assertThat(DeletedKeys.client(json)).isEmpty();
    }
}
