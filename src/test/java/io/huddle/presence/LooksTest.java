package io.huddle.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LooksTest {
    private static final long LONG = Duration.ofDays(1).toMillis();

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 3);
    private final Looks looks = new Looks(now::get, 10);

    private CompletableFuture<Void> recent() {
        return looks.recent(LONG).toCompletableFuture();
    }

    @Test
    void recent_beforeTheFirstLook_waitsForIt() throws SQLException {
        CompletionStage<Void> waiting = recent();
        assertThat(waiting).isNotCompleted();

        looks.look(() -> {});

        assertThat(waiting).isCompleted();
        assertThat(recent()).isCompleted();
    }

    @Test
    void recent_afterALookThatBeganTooLongAgo_waitsForTheNext() throws SQLException {
        looks.look(() -> now.addAndGet(4));
        now.addAndGet(5);
        assertThat(recent()).as("nine after its beginning").isCompleted();

        now.addAndGet(1);
        CompletionStage<Void> waiting = recent();
        assertThat(waiting).isNotCompleted();

        looks.look(() -> {});
        assertThat(waiting).isCompleted();
    }

    /** What has begun may have seen what was before the question. */
    @Test
    void recent_duringALook_waitsForTheOneAfter() throws SQLException {
        CompletableFuture<CompletionStage<Void>> asked = new CompletableFuture<>();

        looks.look(() -> {
            asked.complete(recent());
            now.addAndGet(20);
        });

        assertThat(asked.join()).isNotCompleted();
        looks.look(() -> {});
        assertThat(asked.join()).isCompleted();
    }

    /** A database that is away keeps no call. */
    @Test
    void look_thatFails_isOver() {
        CompletionStage<Void> waiting = recent();

        assertThatThrownBy(() -> looks.look(() -> {
                    throw new SQLException("away");
                }))
                .isInstanceOf(SQLException.class);

        assertThat(waiting).isCompleted();
        assertThat(recent()).isCompleted();
    }

    @Test
    void recent_withoutAnyLook_waitsForNoLongerThanItIsTold() {
        assertThat(looks.recent(1)).succeedsWithin(Duration.ofSeconds(10));
    }
}
