package io.huddle.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.huddle.admin.AlertsResource;
import io.huddle.admin.AuditResource;
import io.huddle.admin.AuditTrail;
import io.huddle.admin.ClientKeysResource;
import io.huddle.admin.ConfigResource;
import io.huddle.admin.MismatchesResource;
import io.huddle.admin.NodesResource;
import io.huddle.admin.OrphansResource;
import io.huddle.admin.Overview;
import io.huddle.admin.RoomSearch;
import io.huddle.admin.RoomSearchResource;
import io.huddle.admin.RoomViews;
import io.huddle.admin.SeriesResource;
import io.huddle.admin.SessionSearch;
import io.huddle.admin.SessionSearchResource;
import io.huddle.admin.StagesResource;
import io.huddle.drift.AlertJson;
import io.huddle.event.EventType;
import io.huddle.event.RoomEvent;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.Store;
import io.huddle.harness.Tokens;
import io.huddle.mesh.ClientJson;
import io.huddle.presence.EventsJson;
import io.huddle.presence.MembershipJson;
import io.huddle.presence.Renewal;
import io.huddle.presence.RosterJson;
import io.huddle.presence.SessionJson;
import io.huddle.room.Policy;
import io.huddle.room.RoomJson;
import io.huddle.room.RoomsResource;
import io.huddle.security.IceServers;
import io.huddle.shadow.Mismatches;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The document at {@code /openapi}, as a node serves it, against the code it describes. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OpenApiIT {
    private static final String BASE = "/api/v1";

    private static final Map<String, Class<?>> SHAPES = Map.ofEntries(
            Map.entry("Room", RoomJson.class),
            Map.entry("RoomPage", RoomsResource.RoomPage.class),
            Map.entry("Policy", Policy.class),
            Map.entry("NewPolicy", Policy.class),
            Map.entry("Membership", MembershipJson.class),
            Map.entry("StreamAccess", MembershipJson.StreamJson.class),
            Map.entry("IceServer", IceServers.IceServer.class),
            Map.entry("Renewal", Renewal.class),
            Map.entry("Roster", RosterJson.class),
            Map.entry("RosterEntry", SessionJson.class),
            Map.entry("Events", EventsJson.class),
            Map.entry("Event", RoomEvent.class),
            Map.entry("Client", ClientJson.class),
            Map.entry("ClientPage", ClientJson.Page.class),
            Map.entry("ClientKey", ClientKeysResource.ClientKeyJson.class),
            Map.entry("ClientSecret", ClientKeysResource.SecretJson.class),
            Map.entry("ClientKeyPage", ClientKeysResource.ClientKeyPage.class),
            Map.entry("Series", SeriesResource.SeriesJson.class),
            Map.entry("SeriesLine", SeriesResource.LineJson.class),
            Map.entry("Overview", Overview.OverviewJson.class),
            Map.entry("AlertCounts", Overview.AlertCounts.class),
            Map.entry("RoomCounts", Overview.RoomCounts.class),
            Map.entry("SessionCounts", Overview.SessionCounts.class),
            Map.entry("FoundRoomPage", RoomSearchResource.FoundRoomPage.class),
            Map.entry("FoundRoom", RoomSearch.FoundRoom.class),
            Map.entry("LastEvent", RoomSearch.LastEvent.class),
            Map.entry("RoomView", RoomViews.RoomView.class),
            Map.entry("Member", RoomViews.Member.class),
            Map.entry("MemberMedia", RoomViews.MediaReport.class),
            Map.entry("FoundSessionPage", SessionSearchResource.FoundSessionPage.class),
            Map.entry("FoundSession", SessionSearch.FoundSession.class),
            Map.entry("AuditPage", AuditResource.AuditPage.class),
            Map.entry("AuditLine", AuditTrail.AuditLine.class),
            Map.entry("Config", ConfigResource.ConfigJson.class),
            Map.entry("Nodes", NodesResource.NodesJson.class),
            Map.entry("Node", NodesResource.NodeJson.class),
            Map.entry("Alert", AlertJson.class),
            Map.entry("AlertPage", AlertsResource.AlertPage.class),
            Map.entry("Orphans", OrphansResource.OrphansJson.class),
            Map.entry("Orphan", OrphansResource.OrphanJson.class),
            Map.entry("Stage", StagesResource.StageJson.class),
            Map.entry("Stages", StagesResource.StageList.class),
            Map.entry("Mismatch", Mismatches.Mismatch.class),
            Map.entry("MismatchSum", Mismatches.Sum.class),
            Map.entry("MismatchPage", MismatchesResource.MismatchPage.class));

    @TempDir
    static java.nio.file.Path folder;

    private static @Nullable Node node;
    private static JsonObject document = JsonValue.EMPTY_JSON_OBJECT;

    @BeforeAll
    static void read() {
        Node started =
                Node.start("openapi", Store.h2(folder).env(), Tokens.env()).awaitReady();
        node = started;
        document = Api.anonymous(started)
                .atRoot()
                .get("/openapi?format=JSON")
                .assertStatus(200)
                .json();
    }

    @AfterAll
    static void end() {
        if (node != null) {
            node.close();
        }
    }

    /** An operation of the code: a resource method, or two that differ in what they produce. */
    private record Operation(Set<String> produces, boolean hasBody, boolean needsBody) {}

    @Test
    void document_served_hasTheBaseOfTheApplication() {
        assertThat(document.getJsonArray("servers").getValuesAs(JsonObject.class))
                .extracting(server -> server.getString("url"))
                .containsExactly(BASE);
        assertThat(document.getJsonObject("info").getString("title")).isEqualTo("Huddle");
    }

    @Test
    void document_asTheServerReadsIt_isValid() throws IOException {
        // The server validates what it serves, and says in its log what is wrong; the second is there in any case.
        String log = Files.readString(Objects.requireNonNull(node).logs().resolve("messages.log"));
        assertThat(log).contains("CWWKO1660I").doesNotContain("CWWKO1650E", "CWWKO1651W");
    }

    @Test
    void tags_ofOperations_areThoseDescribed() {
        Set<String> described = document.getJsonArray("tags").getValuesAs(JsonObject.class).stream()
                .map(tag -> tag.getString("name"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> used = documented().values().stream()
                .flatMap(operation -> operation.getJsonArray("tags").getValuesAs(JsonString.class).stream())
                .map(JsonString::getString)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).isEqualTo(described);
    }

    @Test
    void operations_ofCodeAndDocument_areTheSame() {
        assertThat(documented().keySet()).isNotEmpty().isEqualTo(coded().keySet());
    }

    @Test
    void operations_bodiesAndMediaTypes_matchTheCode() {
        Map<String, JsonObject> documented = documented();
        coded().forEach((name, operation) -> {
            JsonObject described = Objects.requireNonNull(documented.get(name), name);
            assertThat(described.containsKey("requestBody"))
                    .as("body of %s", name)
                    .isEqualTo(operation.hasBody);
            if (operation.hasBody) {
                assertThat(described.getJsonObject("requestBody").getBoolean("required", false))
                        .as("body of %s needed", name)
                        .isEqualTo(operation.needsBody);
            }
            Set<String> answered = described.getJsonObject("responses").entrySet().stream()
                    .filter(response -> response.getKey().startsWith("2"))
                    .flatMap(response -> content(response.getValue()).keySet().stream())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(answered).as("media types of %s", name).isEqualTo(operation.produces);
        });
    }

    @Test
    void operations_allButTheDemo_needAToken() {
        documented().forEach((name, operation) -> {
            Set<String> answers = operation.getJsonObject("responses").keySet();
            boolean isOpen = operation.containsKey("security")
                    && operation.getJsonArray("security").isEmpty();
            assertThat(isOpen).as(name).isEqualTo(name.endsWith("/demo/token"));
            assertThat(answers.contains("401")).as("401 of %s", name).isEqualTo(!isOpen);
            assertThat(answers).as(name).contains("403", "406", "500", "503");
            assertThat(answers.contains("415")).as("415 of %s", name).isEqualTo(operation.containsKey("requestBody"));
        });
    }

    @Test
    void operations_withoutToken_areRefused() {
        Api stranger = Api.anonymous(Objects.requireNonNull(node));
        documented().keySet().stream()
                .filter(name -> !name.endsWith("/demo/token"))
                .forEach(name -> {
                    String[] call = name.replaceAll("\\{\\w+}", "x").split(" ", 2);
                    stranger.send(call[0], call[1], JsonValue.EMPTY_JSON_OBJECT)
                            .assertProblem(401, Refusal.UNAUTHENTICATED.slug());
                });
    }

    @Test
    void problems_ofEachOperation_areRefusalsOfThatStatus() {
        Map<String, Integer> statuses = Arrays.stream(Refusal.values())
                .collect(Collectors.toMap(Refusal::slug, Refusal::status, (one, other) -> one, TreeMap::new));
        Set<String> told = new TreeSet<>(Set.of(Refusal.METHOD_NOT_ALLOWED.slug()));
        documented()
                .forEach((name, operation) -> operation
                        .getJsonObject("responses")
                        .forEach((status, response) -> {
                            if (!status.startsWith("2") && !status.startsWith("3")) {
                                List<String> codes = codes(response);
                                assertThat(codes)
                                        .as("codes of %s %s", name, status)
                                        .isNotEmpty();
                                assertThat(codes)
                                        .as("codes of %s", name)
                                        .allMatch(
                                                code -> Integer.valueOf(status).equals(statuses.get(code)));
                                assertThat(exampleCodes(response))
                                        .as("examples of %s %s", name, status)
                                        .containsExactlyInAnyOrderElementsOf(codes);
                                told.addAll(codes);
                            }
                        }));
        assertThat(told).isEqualTo(statuses.keySet());
        assertThat(values("Problem", "code")).containsExactlyInAnyOrderElementsOf(statuses.keySet());
    }

    @Test
    void shapes_ofCodeAndDocument_haveTheSameMembers() {
        SHAPES.forEach((name, shape) -> assertThat(
                        schema(name).getJsonObject("properties").keySet())
                .as("members of %s", name)
                .containsExactlyInAnyOrderElementsOf(Stream.of(shape.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList()));
    }

    @Test
    void events_ofCodeAndDocument_haveTheSameTypes() {
        assertThat(values("Event", "type"))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(EventType.values()).map(EventType::wire).toList());
    }

    private static Map<String, JsonObject> documented() {
        Set<String> methods = Set.of("get", "put", "post", "delete", "patch", "options", "head", "trace");
        Map<String, JsonObject> operations = new TreeMap<>();
        document.getJsonObject("paths")
                .forEach((path, item) -> item.asJsonObject().forEach((method, operation) -> {
                    if (methods.contains(method)) {
                        operations.put(method.toUpperCase(Locale.ROOT) + " " + path, operation.asJsonObject());
                    }
                }));
        return operations;
    }

    private static Map<String, Operation> coded() {
        Map<String, Operation> operations = new TreeMap<>();
        for (JavaClass found : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.huddle")) {
            if (found.isAnnotatedWith(Path.class)) {
                Class<?> resource = found.reflect();
                for (Method method : resource.getDeclaredMethods()) {
                    add(operations, resource, method);
                }
            }
        }
        return operations;
    }

    private static void add(Map<String, Operation> operations, Class<?> resource, Method method) {
        for (var annotation : method.getAnnotations()) {
            HttpMethod verb = annotation.annotationType().getAnnotation(HttpMethod.class);
            if (verb != null) {
                Path own = method.getAnnotation(Path.class);
                String path = resource.getAnnotation(Path.class).value() + (own == null ? "" : own.value());
                boolean hasBody = List.of(method.getParameterTypes()).contains(RequestBody.class);
                boolean needsBody = hasBody && consumesJson(resource, method);
                operations.merge(
                        verb.value() + " " + path,
                        new Operation(produces(resource, method), hasBody, needsBody),
                        OpenApiIT::both);
            }
        }
    }

    /** A method that takes any media type does not insist on a body; what it is sent must be JSON all the same. */
    private static boolean consumesJson(Class<?> resource, Method method) {
        Consumes own = method.getAnnotation(Consumes.class);
        Consumes consumes = own == null ? resource.getAnnotation(Consumes.class) : own;
        return consumes != null && Arrays.equals(consumes.value(), new String[] {"application/json"});
    }

    /** What an answer may be; nothing where the method answers without a body. */
    private static Set<String> produces(Class<?> resource, Method method) {
        var own = method.getAnnotation(jakarta.ws.rs.Produces.class);
        var produces = own == null ? resource.getAnnotation(jakarta.ws.rs.Produces.class) : own;
        boolean isLive = Arrays.stream(method.getParameterTypes())
                .anyMatch(type -> type.getSimpleName().equals("SseEventSink"));
        if (produces == null || (isWithoutAnswer(method) && !isLive)) {
            return new TreeSet<>();
        }
        return Stream.of(produces.value())
                .map(type -> type.replaceFirst(";.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isWithoutAnswer(Method method) {
        return method.getReturnType() == void.class
                || method.getGenericReturnType().getTypeName().endsWith("<java.lang.Void>");
    }

    private static Operation both(Operation one, Operation other) {
        Set<String> all = new TreeSet<>(one.produces);
        all.addAll(other.produces);
        return new Operation(all, one.hasBody || other.hasBody, one.needsBody || other.needsBody);
    }

    private static List<String> codes(JsonValue response) {
        JsonObject content = content(response).getJsonObject("application/problem+json");
        assertThat(content).as("content of %s", response).isNotNull();
        List<String> codes = new ArrayList<>();
        for (JsonObject part :
                content.getJsonObject("schema").getJsonArray("allOf").getValuesAs(JsonObject.class)) {
            if (part.containsKey("properties")) {
                codes.addAll(texts(
                        part.getJsonObject("properties").getJsonObject("code").getJsonArray("enum")));
            }
        }
        return codes;
    }

    private static List<String> exampleCodes(JsonValue response) {
        return content(response).getJsonObject("application/problem+json").getJsonObject("examples").values().stream()
                .map(example -> resolve("examples", example.asJsonObject())
                        .getJsonObject("value")
                        .getString("code", ""))
                .toList();
    }

    private static JsonObject content(JsonValue response) {
        JsonObject resolved = resolve("responses", response.asJsonObject());
        return resolved.containsKey("content") ? resolved.getJsonObject("content") : JsonValue.EMPTY_JSON_OBJECT;
    }

    private static JsonObject resolve(String kind, JsonObject maybeReference) {
        if (!maybeReference.containsKey("$ref")) {
            return maybeReference;
        }
        String name = maybeReference.getString("$ref").replaceFirst("^#/components/" + kind + "/", "");
        return document.getJsonObject("components").getJsonObject(kind).getJsonObject(name);
    }

    private static JsonObject schema(String name) {
        return document.getJsonObject("components").getJsonObject("schemas").getJsonObject(name);
    }

    private static List<String> values(String schema, String member) {
        return texts(
                schema(schema).getJsonObject("properties").getJsonObject(member).getJsonArray("enum"));
    }

    private static List<String> texts(JsonArray array) {
        return array.getValuesAs(JsonString.class).stream()
                .map(JsonString::getString)
                .toList();
    }
}
