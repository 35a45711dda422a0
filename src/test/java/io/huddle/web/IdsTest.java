package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdsTest {
    @Test
    void make_many_areDistinctAndOfTheirKind() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String id = Ids.make('r');
            assertThat(seen.add(id)).isTrue();
            assertThat(Ids.isOf('r', id)).isTrue();
            assertThat(Ids.isOf('s', id)).isFalse();
        }
    }

    @Test
    void make_id_fitsItsColumn() {
        assertThat(Ids.make('r')).hasSize(28).matches("r-[0-9a-z]{26}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "r",
                "r-",
                "r-00000000000000000000000000 ",
                "r-0000000000000000000000000",
                "r-000000000000000000000000000",
                "R-00000000000000000000000000",
                "r_00000000000000000000000000",
                "r-0000000000000000000000000i",
                "r-0000000000000000000000000A",
                "r-0000000000000000000000000%",
                "r-000000000000000000000000\u0000\u0000"
            })
    void isOf_anyOtherForm_isNobodys(String text) {
        assertThat(Ids.isOf('r', text)).isFalse();
    }
}
