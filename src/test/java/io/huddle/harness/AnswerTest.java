package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTest {
    private static final String TYPE = "application/problem+json";

    @Test
    void problem_complete_passes() {
        Answer answer = problem(TYPE, "Select another room; it may come from the list at https://huddle.example/a.b.");
        assertThat(answer.assertProblem(409, "room-closed").isProblem("room-closed"))
                .isTrue();
        assertThat(answer.isProblem("room-full")).isFalse();
    }

    @Test
    void problem_otherStatusCodeOrType_fails() {
        Answer answer = problem(TYPE, "It is closed.");
        assertFails(() -> answer.assertProblem(410, "room-closed"));
        assertFails(() -> answer.assertProblem(409, "room-full"));
        assertFails(() -> problem("application/json", "It is closed.").assertProblem(409, "room-closed"));
        assertFails(() -> problem(TYPE, " ").assertProblem(409, "room-closed"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.lang.NullPointerException",
                "failed at io.huddle.room.Rooms.close(Rooms.java:12)",
                "IllegalStateException: no",
                "could not run select id from room",
                "INSERT INTO room failed",
                "SQLState 23505",
                "org.postgresql.util.PSQLException",
                "jdbc:h2:file:/data"
            })
    void problem_withInnards_fails(String detail) {
        assertFails(() -> problem(TYPE, detail).assertProblem(409, "room-closed"));
    }

    @Test
    void answer_withoutLeak_passes() {
        assertThatCode(() -> problem(TYPE, "Not found.").assertNoLeak()).doesNotThrowAnyException();
    }

    private static void assertFails(Runnable assertion) {
        assertThatThrownBy(assertion::run).isInstanceOf(AssertionError.class);
    }

    private static Answer problem(String type, String detail) {
        String text = Api.json()
                .add("type", "urn:huddle:problem:room-closed")
                .add("title", "Room closed")
                .add("status", 409)
                .add("detail", detail)
                .add("code", "room-closed")
                .build()
                .toString();
        return new Answer(409, HttpHeaders.of(Map.of("Content-Type", List.of(type)), (name, value) -> true), text);
    }
}
