package io.huddle.harness;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a node answered to one call. */
public record Answer(int status, HttpHeaders headers, String text) {
    static final String PROBLEM = "application/problem+json";

    /** Frames of a stack trace, names of classes, statements: what an answer must never tell a stranger. */
    private static final Pattern LEAK = Pattern.compile("\\sat [\\w.$/]+\\([\\w.]+|\\b[A-Z]\\w*(?:Exception|Error)\\b"
            + "|\\b(?:javax?|jakarta|io\\.huddle|io\\.openliberty|com\\.ibm|com\\.sun|org\\.\\w+)\\.\\w+\\."
            + "|\\b(?i:select\\s+(?:\\*|[\\w.]+(?:\\s*,\\s*[\\w.]+)*)\\s+from|insert\\s+into|update\\s+\\w+\\s+set|delete\\s+from)\\s"
            + "|\\bSQL(?i:state)?\\b|\\bjdbc:");

    static Answer of(HttpResponse<String> response) {
        return new Answer(response.statusCode(), response.headers(), response.body());
    }

    /** The body as a JSON object; the test fails with the body's text when it is none. */
    public JsonObject json() {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            return reader.readObject();
        } catch (JsonException unreadable) {
            throw new AssertionError("no JSON object in " + this, unreadable);
        }
    }

    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    /** Whether this is a problem with that code, for counting the outcomes of a race. */
    public boolean isProblem(String code) {
        return isProblem() && code.equals(json().getString("code", ""));
    }

    /** Fails with the whole answer unless it has this status. */
    public Answer assertStatus(int expected) {
        assertThat(status).as("status of %s", this).isEqualTo(expected);
        return this;
    }

    /** Fails unless this is a complete problem (RFC 9457) of that status and code which gives nothing away. */
    public Answer assertProblem(int expectedStatus, String code) {
        assertStatus(expectedStatus);
        assertThat(isProblem()).as("%s in %s", PROBLEM, this).isTrue();
        JsonObject problem = json();
        assertThat(problem.getString("type", "")).as("type of %s", this).isEqualTo("urn:huddle:problem:" + code);
        assertThat(problem.getString("code", "")).as("code of %s", this).isEqualTo(code);
        assertThat(problem.getInt("status", 0)).as("member status of %s", this).isEqualTo(expectedStatus);
        assertThat(problem.getString("title", "")).as("title of %s", this).isNotBlank();
        assertThat(problem.getString("detail", "")).as("detail of %s", this).isNotBlank();
        return assertNoLeak();
    }

    /** Fails if the body holds a stack trace, the name of a class or SQL. */
    public Answer assertNoLeak() {
        assertThat(LEAK.matcher(text).results().map(leak -> leak.group().strip()))
                .as("leaks in %s", this)
                .isEmpty();
        return this;
    }

    private boolean isProblem() {
        return header("Content-Type").orElse("").startsWith(PROBLEM);
    }

    @Override
    public String toString() {
        return status + " " + headers.map() + " " + text;
    }
}
