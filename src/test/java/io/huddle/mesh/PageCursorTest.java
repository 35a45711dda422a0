package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.web.Refused;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageCursorTest {
    private static final String EPOCH = "e-0123456789abcdefghjkmnpqrs";
    private static final String POSITION = "c.7.c-of-others";

    @Test
    void position_sealedAndOpened_isTheSame() {
        String cursor = PageCursor.seal(EPOCH, POSITION);

        assertThat(PageCursor.open(EPOCH, cursor)).isEqualTo(POSITION);
        assertThat(cursor).as("fits a query").matches("[A-Za-z0-9_-]+");
        assertThat(new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1))
                .doesNotContain("others");
    }

    @Test
    void position_afterTheLongestId_comesBack() {
        String longest =
                Base64.getUrlEncoder().encodeToString("\u00e4".repeat(512).getBytes(StandardCharsets.UTF_8));

        assertThat(PageCursor.open(EPOCH, PageCursor.seal(EPOCH, longest))).isEqualTo(longest);
    }

    @Test
    void cursor_withAnyLetterChanged_isRefused() {
        String cursor = PageCursor.seal(EPOCH, POSITION);
        for (int i = 0; i < cursor.length(); i++) {
            for (char other : new char[] {'A', 'B', 'E', 'Q', 'g', '='}) {
                String changed = cursor.substring(0, i) + other + cursor.substring(i + 1);
                if (!changed.equals(cursor)) {
                    assertThatThrownBy(() -> PageCursor.open(EPOCH, changed)).isInstanceOf(Refused.class);
                }
            }
        }
    }

    @Test
    void cursor_ofAnotherEpoch_isRefused() {
        String cursor = PageCursor.seal(EPOCH, POSITION);

        assertThatThrownBy(() -> PageCursor.open("e-another", cursor)).isInstanceOf(Refused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "++", "bm9uc2Vuc2U", " ", "\u00e4"})
    void text_thatIsNoCursor_isRefused(String text) {
        assertThatThrownBy(() -> PageCursor.open(EPOCH, text)).isInstanceOf(Refused.class);
        assertThatThrownBy(() -> PageCursor.open(EPOCH, text.repeat(20_000))).isInstanceOf(Refused.class);
    }
}
