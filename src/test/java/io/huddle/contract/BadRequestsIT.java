package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Tokens;
import jakarta.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths, methods, queries and headers that are wrong in one way each. */
class BadRequestsIT extends Contract {
    private Api ada;
    private Membership member;
    private Trace before;

    @BeforeEach
    void oneMember() {
        site.store().update("UPDATE room_session SET state = 'absent', ending = 'left' WHERE state <> 'absent'");
        ada = participant("ada");
        member = join(ada, openRoom(ada));
        before = Trace.of(site.store());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nope",
                "/rooms/ROOM/nope",
                "/rooms/ROOM/sessions/SESSION/nope",
                "/rooms/ROOM/roster/x",
                "/admin",
                "/",
                "",
                "/../v1/nope",
                "//nope",
                "/rooms/ROOM/close/x"
            })
    void path_thatIsNone_isNotFound(String path) {
        ada.get(fill(path)).assertProblem(404, "not-found");
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nope.html",
                "/WEB-INF/web.xml",
                "/WEB-INF/classes/io/huddle/Huddle.class",
                "/META-INF/persistence.xml",
                "/problem",
                "/api/v2/rooms",
                "/ibm/console",
                "/client/"
            })
    void path_outsideOfTheApi_isNotFoundToo(String path) {
        Answer answer = Api.anonymous(site.node()).atRoot().get(path);
        if (path.startsWith("/api/")) {
            answer.assertProblem(401, "unauthenticated");
            ada.atRoot().get(path).assertProblem(404, "not-found");
        } else {
            answer.assertProblem(404, "not-found");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /rooms",
        "DELETE, /rooms",
        "PATCH, /rooms",
        "DELETE, /rooms/ROOM",
        "POST, /rooms/ROOM",
        "GET, /rooms/ROOM/close",
        "GET, /rooms/ROOM/sessions",
        "GET, /rooms/ROOM/sessions/SESSION",
        "POST, /rooms/ROOM/sessions/SESSION/lease",
        "GET, /rooms/ROOM/sessions/SESSION/lease",
        "PUT, /rooms/ROOM/sessions/SESSION/suspend",
        "DELETE, /rooms/ROOM/roster",
        "POST, /rooms/ROOM/events"
    })
    void method_thatAPathDoesNotKnow_isNotAllowed(String method, String path) {
        Answer answer = ada.send(method, fill(path), JsonObject.EMPTY_JSON_OBJECT);

        answer.assertProblem(405, "method-not-allowed");
        assertThat(answer.header("Allow").orElse("")).isNotEmpty().doesNotContain(method);
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "FOO", "CONNECT", "PROPFIND"})
    void method_thatHttpOrThisServiceDoesNotKnow_isRefusedWithoutALeak(String method) {
        Answer answer = Wire.exchange(
                site.node(), List.of(method + " /api/v1/rooms HTTP/1.1", bearer(), "Content-Length: 0"), new byte[0]);

        assertThat(answer.status()).as("%s", answer).isIn(400, 403, 404, 405, 501);
        answer.assertNoLeak();
        assertThat(answer.text()).doesNotContain(bearer());
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/xml", "image/png", "text/event-stream"})
    void accept_ofAnotherType_isNotAcceptable(String accept) {
        ada.with("Accept", accept).room(member.room()).assertProblem(406, "not-acceptable");
        ada.with("Accept", accept).createRoom(unique(), aRoom()).assertProblem(406, "not-acceptable");
        before.assertUnchanged();
    }

    @Test
    void malformedAccept_isNoServerError() {
        for (String accept : new String[] {"garbage", "/", "application/json;q=x", ",", "*", "a/b/c;;"}) {
            Answer answer = ada.with("Accept", accept).room(member.room());
            assertThat(answer.status()).as("%s: %s", accept, answer).isIn(200, 400, 406);
            answer.assertNoLeak();
        }
    }

    @Test
    void acceptOfAProblem_getsTheProblemOfAWrongId() {
        ada.with("Accept", "application/json").room("r-nope").assertProblem(404, "room-not-found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'%20OR%20'1'='1",
                "r-00000000000000000000000000'--",
                "r-0000000000000000000000000%25",
                "r-__________________________",
                "r-%25",
                "%00",
                "r-0000000000000000000000000%00",
                "%ff%fe",
                "..%2f..%2fetc%2fpasswd",
                "R-00000000000000000000000000",
                "1;DROP%20TABLE%20room",
                "%F0%9F%91%A9",
                "null",
                "-1",
                "r-0000000000000000000000000000000000000000000000000000000000000000000000000000000000"
            })
    void roomId_thatIsNone_isNobodysRoom(String id) {
        for (Answer answer : List.of(
                wire("GET /api/v1/rooms/" + id),
                wire("GET /api/v1/rooms/" + id + "/roster"),
                wire("GET /api/v1/rooms/" + id + "/events"),
                wire("POST /api/v1/rooms/" + id + "/close"))) {
            if (answer.isProblem("not-found") || answer.status() == 400) {
                // What the server itself refuses in a path never reaches the resource.
                answer.assertNoLeak();
            } else {
                answer.assertProblem(404, "room-not-found");
            }
        }
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s-00000000000000000000000000",
                "s-0000000000000000000000000'",
                "'%20OR%20'1'='1",
                "s-%25",
                "s-__________________________",
                "ada",
                "1"
            })
    void sessionId_thatIsNone_isNobodysSession(String id) {
        Membership nobody = new Membership(ada, member.room(), id, 1);
        nobody.renew().assertProblem(404, "session-not-found");
        nobody.suspend().assertProblem(404, "session-not-found");
        nobody.media("failed").assertProblem(404, "session-not-found");
        nobody.leave().assertProblem(404, "session-not-found");
        operatorWithReason()
                .post(
                        "/admin/sessions/" + id + "/remove",
                        Api.json().add("generation", 1).build())
                .assertProblem(404, "session-not-found");
        before.assertUnchanged();
    }

    @Test
    void sqlInAFilter_isOnlyAText() {
        for (String sql : new String[] {"' OR '1'='1", "x'; DROP TABLE room; --", "%", "_", "\\", "\"", "*"}) {
            for (String filter : new String[] {"team", "occurrence"}) {
                Answer answer = ada.get("/rooms?" + filter + "=" + Api.encode(sql));
                assertThat(answer.assertStatus(200).json().getJsonArray("items"))
                        .as(sql)
                        .isEmpty();
                assertThat(operator()
                                .get("/rooms?" + filter + "=" + Api.encode(sql))
                                .assertStatus(200)
                                .json()
                                .getJsonArray("items"))
                        .as(sql)
                        .isEmpty();
            }
        }
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "state=OPEN",
                "state=dead",
                "state=",
                "state=open'--",
                "team=",
                "team=%00",
                "team=a%0Ab",
                "occurrence=",
                "occurrence=%00",
                "limit=0",
                "limit=-1",
                "limit=201",
                "limit=1.5",
                "limit=x",
                "limit=",
                "limit=%2B5",
                "limit=99999999999999999999",
                "limit=1;DROP",
                "cursor=x",
                "cursor=%25%25",
                "cursor=%00",
                "cursor=!",
                "cursor=..%2F..%2F"
            })
    void query_thatIsWrong_isInvalid(String query) {
        ada.get("/rooms?" + query).assertProblem(400, "invalid-request");
        operator().get("/rooms?" + query).assertProblem(400, "invalid-request");
        before.assertUnchanged();
    }

    static List<String> forgedCursors() {
        return List.of(
                ",",
                "1",
                "1,",
                ",r-x",
                "x,r-x",
                "1.5,r-x",
                "-,r-x",
                "1,\u0000",
                "1,r\n",
                "9223372036854775808,r-x",
                "-9223372036854775808,r-x",
                "9223372036854775807,r-x",
                "99999999999999999999,r-x",
                "-62167219200000001,r-x",
                "1," + "x".repeat(200));
    }

    @ParameterizedTest
    @MethodSource("forgedCursors")
    void cursor_thatHuddleDidNotMake_isInvalid(String plain) {
        String cursor =
                Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.ISO_8859_1));
        ada.get("/rooms?cursor=" + cursor).assertProblem(400, "invalid-request");
    }

    @Test
    void cursor_withSqlInItsId_isOnlyAText() {
        String cursor = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("4000000000000000,' OR 1=1 --".getBytes(StandardCharsets.US_ASCII));
        Answer answer = ada.get("/rooms?cursor=" + cursor);
        // Older than the year 2096, which 4e15 microseconds are: every room there is.
        assertThat(answer.assertStatus(200).json().getJsonArray("items")).hasSize(1);
        before.assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "after=-1",
                "after=x",
                "after=1.5",
                "after=9223372036854775807",
                "after=9223372036854775808",
                "after=1'--",
                "after=%00",
                "limit=0",
                "limit=201",
                "limit=x"
            })
    void eventsQuery_thatIsWrong_isInvalid(String query) {
        ada.get("/rooms/" + member.room() + "/events?" + query).assertProblem(400, "invalid-request");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/rooms?team=%zz",
                "/api/v1/rooms?team=%",
                "/api/v1/rooms?team=%c3%28",
                "/api/v1/rooms?%00=1",
                "/api/v1/rooms?team=a&team=b&=&&",
                "/api/v1/rooms/%zz",
                "/api/v1/rooms/%",
                "/api/v1/rooms;jsessionid=1",
                "/api/v1/rooms/;",
                "/api/v1/%2e%2e/%2e%2e/",
                "/api/v1/rooms\\x"
            })
    void address_thatNoClientWouldSend_isRefusedWithoutALeak(String target) {
        Answer answer = wire("GET " + target);

        assertThat(answer.status()).as("%s", answer).isLessThan(500);
        answer.assertNoLeak();
        before.assertUnchanged();
    }

    @Test
    void pathParameters_openNoSideDoor() {
        // A filter that compares the raw address is passed by what the container strips from it.
        for (String target : new String[] {
            "/api/v1/demo/token;x/../../rooms",
            "/api/v1/demo/token/../../rooms",
            "/api/v1/demo/token/..;/..;/rooms",
            "/api/v1/;x=/rooms",
            "/api;x/v1/rooms",
            "//api/v1/rooms",
            "/./api/v1/rooms",
            "/API/v1/rooms",
            "/%61pi/v1/rooms",
            "/api%2fv1/rooms",
            "/x/../api/v1/rooms"
        }) {
            Answer answer =
                    Wire.exchange(site.node(), List.of("GET " + target + "?team=" + team + " HTTP/1.1"), new byte[0]);
            assertThat(answer.status()).as("%s: %s", target, answer).isIn(400, 401, 403, 404);
            assertThat(answer.text()).doesNotContain(member.room());
            answer.assertNoLeak();
        }
    }

    @Test
    void addressOfManyBytes_isRefusedWithoutALeak() {
        Answer answer = wire("GET /api/v1/rooms?team=" + "x".repeat(40_000));

        assertThat(answer.status()).as("%s", answer).isBetween(400, 499);
        answer.assertNoLeak();
    }

    private String fill(String path) {
        return path.replace("ROOM", member.room()).replace("SESSION", member.session());
    }

    private Answer wire(String method) {
        return Wire.exchange(
                site.node(),
                List.of(method + " HTTP/1.1", "Accept: application/json", bearer(), "Content-Length: 0"),
                new byte[0]);
    }

    private String bearer() {
        return "Authorization: Bearer " + Tokens.participant("ada", team);
    }
}
