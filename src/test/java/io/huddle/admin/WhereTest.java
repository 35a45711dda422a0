package io.huddle.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.web.Cursor;
import io.huddle.web.Refused;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhereTest {
    @Test
    void filters_withoutAValue_areLeftOut() {
        assertThat(new Where().andIf(null, "a = ?").behind(null, "at", "id").sql())
                .isEqualTo(" WHERE 1 = 1");
    }

    @Test
    void filters_withValues_areJoinedInOrder() {
        Cursor cursor = new Cursor(Instant.EPOCH, "x");
        assertThat(new Where()
                        .andIf("1", "a = ?")
                        .and("b")
                        .behind(cursor, "at", "id")
                        .sql())
                .isEqualTo(" WHERE 1 = 1 AND a = ? AND b AND (at, id) < (?, ?)");
    }

    @Test
    void text_lookedFor_isAskedOfEachExpression() {
        assertThat(new Where().contains("x", "a", "b").sql())
                .isEqualTo(" WHERE 1 = 1 AND (lower(a) LIKE lower(?) ESCAPE '!' OR lower(b) LIKE lower(?) ESCAPE '!')");
    }

    @Test
    void value_outsideOfAClosedSet_isRefusedWithTheSet() {
        assertThat(Where.oneOf("state", null, List.of("a"))).isNull();
        assertThat(Where.oneOf("state", "a", List.of("a", "b"))).isEqualTo("a");
        assertThatThrownBy(() -> Where.oneOf("state", "c", List.of("a", "b")))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("state must be one of a, b");
        assertThat(Where.flag("synthetic", "true")).isTrue();
        assertThatThrownBy(() -> Where.flag("synthetic", "yes")).isInstanceOf(Refused.class);
    }
}
