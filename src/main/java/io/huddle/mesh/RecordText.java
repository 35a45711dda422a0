package io.huddle.mesh;

import io.huddle.registry.ClientRecord;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import java.io.StringReader;
import java.util.List;

/** Records as one text and back. Metadata is a string in it, never looked into, and so comes back as it was. */
final class RecordText {
    private RecordText() {}

    static String of(List<ClientRecord> records) {
        JsonArrayBuilder all = Json.createArrayBuilder();
        records.forEach(record -> all.add(object(record)));
        return all.build().toString();
    }

    static List<ClientRecord> records(String text) {
        try (JsonReader reader = Json.createReader(new StringReader(text))) {
            JsonArray all = reader.readArray();
            return all.getValuesAs(JsonObject.class).stream()
                    .map(RecordText::record)
                    .toList();
        }
    }

    private static JsonObject object(ClientRecord record) {
        JsonObjectBuilder object = Json.createObjectBuilder()
                .add("clientId", record.clientId())
                .add("node", record.node())
                .add("process", record.process())
                .add("connectionId", record.connectionId())
                .add("state", record.state().name())
                .add("order", record.order())
                .add("generation", record.generation())
                .add("teams", Json.createArrayBuilder(record.teams()))
                .add("connectedAt", record.connectedAt())
                .add("mark", record.mark())
                .add("revision", record.revision())
                .add("metadata", record.metadata());
        if (record.session() != null) {
            object.add("session", record.session());
        }
        return object.build();
    }

    private static ClientRecord record(JsonObject object) {
        return new ClientRecord(
                object.getString("clientId"),
                number(object, "node"),
                object.getString("process"),
                object.getString("connectionId"),
                ClientRecord.State.valueOf(object.getString("state")),
                number(object, "order"),
                object.containsKey("session") ? object.getString("session") : null,
                number(object, "generation"),
                object.getJsonArray("teams").getValuesAs(JsonString.class).stream()
                        .map(JsonString::getString)
                        .toList(),
                number(object, "connectedAt"),
                object.getString("mark"),
                number(object, "revision"),
                object.getString("metadata"));
    }

    private static long number(JsonObject object, String name) {
        return object.getJsonNumber(name).longValueExact();
    }
}
