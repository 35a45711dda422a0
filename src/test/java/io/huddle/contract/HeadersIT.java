package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every answer carries, and the demo that is not there. */
class HeadersIT extends Contract {
    @Test
    void everyAnswer_carriesTheSecurityHeaders() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        Api nobody = Api.anonymous(site.node());
        for (Answer answer : List.of(
                ada.room(room),
                ada.room("r-nope"),
                ada.get("/nope"),
                ada.delete("/rooms"),
                nobody.room(room),
                nobody.atRoot().with("Accept", "text/html").get("/"),
                nobody.atRoot().get("/nope"))) {
            assertThat(answer.header("X-Content-Type-Options")).as("%s", answer).contains("nosniff");
            assertThat(answer.header("X-Frame-Options")).contains("DENY");
            assertThat(answer.header("Referrer-Policy")).contains("no-referrer");
            assertThat(answer.header("Cross-Origin-Opener-Policy")).contains("same-origin");
            assertThat(answer.header("Content-Security-Policy").orElse(""))
                    .contains("default-src 'self'", "object-src 'none'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(answer.header("X-Powered-By")).isEmpty();
            assertThat(answer.header("Server")).isEmpty();
            assertThat(answer.header("Set-Cookie")).isEmpty();
        }
    }

    @Test
    void apiAnswers_areNeverStored() {
        Api ada = participant("ada");
        String room = openRoom(ada);
        for (Answer answer : List.of(ada.room(room), ada.roster(room), ada.room("r-nope"), ada.rooms(team))) {
            assertThat(answer.headers().allValues("Cache-Control"))
                    .as("%s", answer)
                    .containsOnly("no-store");
        }
    }

    @Test
    void otherOrigins_getNoPermissionUnlessConfigured() {
        Api page = participant("ada").with("Origin", "https://evil.example");

        assertThat(page.get("/rooms").assertStatus(200).header("Access-Control-Allow-Origin"))
                .isEmpty();
        Answer preflight = page.with("Access-Control-Request-Method", "POST")
                .send("OPTIONS", "/rooms", JsonObject.EMPTY_JSON_OBJECT);
        assertThat(preflight.header("Access-Control-Allow-Origin")).isEmpty();
        assertThat(preflight.header("Access-Control-Allow-Methods")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "DELETE"})
    void demoSignIn_whileTheDemoIsOff_isAnOrdinary404(String method) {
        JsonObject body = Api.json().add("subject", "eve").build();
        for (Api caller : List.of(Api.anonymous(site.node()), participant("ada"))) {
            caller.send(method, "/demo/token", body).assertProblem(404, "not-found");
            caller.send(method, "/demo/token", "text/plain", new byte[] {'x'}).assertProblem(404, "not-found");
            caller.send(method, "/demo/token", "application/json", new byte[] {'{'})
                    .assertProblem(404, "not-found");
        }
    }

    @Test
    void foreignHost_withoutTheDemo_isServed() {
        // Behind a proxy the name is the public one; only the demo insists on a loopback name.
        participant("ada").with("Host", "huddle.example").get("/rooms").assertStatus(200);
    }
}
