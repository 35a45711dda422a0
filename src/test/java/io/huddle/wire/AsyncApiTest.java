package io.huddle.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The stream in machine-readable form is valid and tells the same as the proto, both ways. */
class AsyncApiTest {
    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7);
    private static final String MESSAGES = "#/channels/stream/messages/";
    private static final String SCHEMAS = "#/components/schemas/";

    private static JsonNode document = JsonNodeFactory.instance.objectNode();

    @BeforeAll
    static void read() throws IOException {
        document = new YAMLMapper().readTree(Files.readString(Path.of("src/docs/asyncapi.yaml")));
    }

    @Test
    void document_byTheSchemaOfTheSpecification_isValid() throws IOException {
        Schema specification = specification();
        assertThat(specification.validate(document)).isEmpty();
    }

    @Test
    void document_withAnUnknownAction_isRefusedByTheSchema() throws IOException {
        JsonNode broken = document.deepCopy();
        ((ObjectNode) broken.path("operations").path("uEcho")).put("action", "publish");
        List<Error> errors = specification().validate(broken);
        assertThat(errors).isNotEmpty();
    }

    @Test
    void messages_comparedWithTheProto_areTheSame() {
        Set<String> wanted = new TreeSet<>(Set.of("error"));
        wanted.addAll(Codec.CLIENT.bodies());
        wanted.addAll(Codec.SERVER.bodies());
        assertThat(names(document.at("/components/messages"))).isEqualTo(wanted);
        assertThat(names(document.at("/channels/stream/messages"))).isEqualTo(wanted);
        for (Map.Entry<String, JsonNode> message :
                document.at("/components/messages").properties()) {
            assertThat(message.getValue().path("name").asString()).isEqualTo(message.getKey());
        }
    }

    @Test
    void directions_comparedWithTheProto_areTheSame() {
        Set<String> fromClient = new TreeSet<>();
        Set<String> fromServer = new TreeSet<>();
        for (Map.Entry<String, JsonNode> operation : document.path("operations").properties()) {
            boolean received = operation.getValue().path("action").asString().equals("receive");
            collect(operation.getValue().path("messages"), received ? fromClient : fromServer);
            collect(operation.getValue().at("/reply/messages"), received ? fromServer : fromClient);
        }
        assertThat(fromClient).isEqualTo(with(Codec.CLIENT.bodies(), "error"));
        assertThat(fromServer).isEqualTo(with(Codec.SERVER.bodies(), "error"));
    }

    @Test
    void schemas_comparedWithTheProto_haveTheSameFields() {
        Map<String, Map<String, String>> wanted = new TreeMap<>();
        for (Descriptor type : HuddleProto.getDescriptor().getMessageTypes()) {
            if (!type.getName().endsWith("Message")) {
                describe(type, type.getName(), wanted);
            }
        }
        assertThat(wanted).hasSizeGreaterThan(30);
        for (Map.Entry<String, Map<String, String>> type : wanted.entrySet()) {
            JsonNode schema = document.at("/components/schemas/" + type.getKey());
            Map<String, String> told = new TreeMap<>();
            for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
                told.put(field.getKey(), type(field.getValue()));
            }
            assertThat(schema.isObject()).as("a schema %s", type.getKey()).isTrue();
            assertThat(told).as(type.getKey()).isEqualTo(type.getValue());
            for (JsonNode name : schema.path("required")) {
                assertThat(told).as("required of %s", type.getKey()).containsKey(name.asString());
            }
        }
    }

    @Test
    void examples_ofEachMessage_areMessagesAndFitTheirSchemas() {
        for (Map.Entry<String, JsonNode> message :
                document.at("/components/messages").properties()) {
            String name = message.getKey();
            JsonNode examples = message.getValue().path("examples");
            assertThat(examples.isEmpty()).as("examples of %s", name).isFalse();
            for (JsonNode example : examples) {
                String json = example.path("payload").toString();
                assertThat(Codec.body(codec(name).read(json))).isEqualTo(name);
                assertThat(payload(name).validate(example.path("payload")))
                        .as("%s by its schema", json)
                        .isEmpty();
            }
        }
    }

    @Test
    void payload_ofAnotherMessage_doesNotFitTheSchema() {
        JsonNode renewal = document.at("/components/messages/uRenewRequest/examples/0/payload");
        assertThat(payload("uRenewRequest").validate(renewal)).isEmpty();
        for (String name : names(document.at("/components/messages"))) {
            if (!name.equals("uRenewRequest")) {
                assertThat(payload(name).validate(renewal)).as(name).isNotEmpty();
            }
        }
    }

    private static Schema specification() throws IOException {
        return REGISTRY.getSchema(Files.readString(Path.of("src/test/resources/asyncapi/3.0.0.json")));
    }

    /** The schema of a message's payload, together with all that it may refer to. */
    private static Schema payload(String message) {
        ObjectNode schema = new JsonMapper().createObjectNode();
        schema.put("$ref", "#/components/messages/" + message + "/payload");
        schema.set("components", document.path("components"));
        return REGISTRY.getSchema(schema);
    }

    private static Codec codec(String message) {
        return Codec.CLIENT.bodies().contains(message) ? Codec.CLIENT : Codec.SERVER;
    }

    private static void describe(Descriptor type, String name, Map<String, Map<String, String>> into) {
        Map<String, String> fields = new TreeMap<>();
        for (FieldDescriptor field : type.getFields()) {
            fields.put(field.getJsonName(), (field.isRepeated() ? "array of " : "") + type(field));
        }
        into.put(name, fields);
        for (Descriptor nested : type.getNestedTypes()) {
            describe(nested, nestedName(nested), into);
        }
    }

    private static String type(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case STRING -> "string";
            case BYTE_STRING -> "base64";
            case BOOLEAN -> "boolean";
            case INT -> "integer";
            case MESSAGE -> nestedName(field.getMessageType());
            default -> throw new IllegalStateException("the page has no word for " + field);
        };
    }

    private static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            return schema.path("$ref").asString().replace(SCHEMAS, "");
        }
        if (schema.has("contentEncoding")) {
            return schema.path("contentEncoding").asString();
        }
        String type = schema.path("type").asString();
        return type.equals("array") ? "array of " + type(schema.path("items")) : type;
    }

    /** {@code Write} inside of {@code ByteStreamOperation} is called {@code ByteStreamWrite}. */
    private static String nestedName(Descriptor type) {
        Descriptor outer = type.getContainingType();
        return outer == null ? type.getName() : outer.getName().replace("Operation", "") + type.getName();
    }

    private static void collect(JsonNode references, Set<String> into) {
        for (JsonNode reference : references) {
            String target = reference.path("$ref").asString();
            assertThat(target).startsWith(MESSAGES);
            into.add(target.substring(MESSAGES.length()));
        }
    }

    private static Set<String> names(JsonNode object) {
        return new TreeSet<>(object.propertyNames());
    }

    private static Set<String> with(Set<String> names, String another) {
        Set<String> all = new TreeSet<>(names);
        all.add(another);
        return all;
    }
}
