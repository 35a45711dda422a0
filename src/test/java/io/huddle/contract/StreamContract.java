package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Awaiting;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DEventsRequest;
import io.huddle.wire.DEventsResponse;
import io.huddle.wire.RoomEvent;
import io.huddle.wire.Roster;
import io.huddle.wire.RosterEntry;
import io.huddle.wire.URenewRequest;
import io.huddle.wire.URenewResponse;
import io.huddle.wire.USubscribeRequest;
import io.huddle.wire.USubscribeResponse;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;

/** What the tests of the product's methods over the stream share: members with streams, keys, and a watcher. */
abstract class StreamContract extends Contract {
    private final List<StreamClient> open = new ArrayList<>();

    /** A membership and the stream that its ticket opened. */
    record Member(Membership membership, StreamClient stream) {
        String session() {
            return membership.session();
        }

        int generation() {
            return (int) membership.generation();
        }

        URenewResponse renew() {
            return stream.call(renewal(), URenewResponse.class);
        }

        URenewRequest renewal() {
            return URenewRequest.newBuilder()
                    .setSession(session())
                    .setGeneration(generation())
                    .build();
        }
    }

    @AfterEach
    void endStreams() {
        open.forEach(StreamClient::close);
    }

    StreamClient keep(StreamClient stream) {
        open.add(stream);
        return stream;
    }

    /** Joins and connects. */
    Member member(String subject, String room) {
        return member(participant(subject), room);
    }

    Member member(Api api, String room) {
        Answer joined = api.join(room);
        return new Member(
                Membership.of(api, joined),
                keep(StreamClient.to(site.node(), joined).connect()));
    }

    /** A connected client with a key of this role, for this team. */
    StreamClient client(String role, String ofTeam) {
        return client("c-" + unique(), role, ofTeam);
    }

    StreamClient client(String id, String role, String ofTeam) {
        JsonObject body = Json.createObjectBuilder()
                .add("client", id)
                .add("roles", Json.createArrayBuilder().add(role))
                .add("teams", Json.createArrayBuilder().add(ofTeam))
                .build();
        String secret = operatorWithReason()
                .post("/admin/clients/keys", body)
                .assertStatus(201)
                .json()
                .getString("secret");
        return keep(StreamClient.to(site.node())
                .signed(id, secret)
                .at(site.clock().now())
                .connect());
    }

    static USubscribeRequest subscription(String room) {
        return USubscribeRequest.newBuilder().setRoom(room).build();
    }

    static USubscribeRequest subscription(String room, long after) {
        return USubscribeRequest.newBuilder()
                .setRoom(room)
                .setAfter((int) after)
                .build();
    }

    /** Who keeps a picture of a room from a snapshot and the events, as a page does. For several threads. */
    static final class Watcher {
        private final Map<String, RosterEntry> entries = new TreeMap<>();
        private final List<RoomEvent> events = new ArrayList<>();
        private long seq;

        static Watcher of(StreamClient stream, String room) {
            Watcher watcher = new Watcher();
            stream.answer(DEventsRequest.class, watcher::take);
            watcher.take(
                    stream.call(subscription(room), USubscribeResponse.class).getSnapshot());
            return watcher;
        }

        synchronized DEventsResponse take(DEventsRequest request) {
            if (request.hasSnapshot()) {
                take(request.getSnapshot());
            }
            request.getEventsList().forEach(this::take);
            return DEventsResponse.newBuilder().setSeq((int) seq).build();
        }

        synchronized void take(Roster snapshot) {
            if (snapshot.getSeq() >= seq) {
                entries.clear();
                snapshot.getEntriesList().forEach(entry -> entries.put(entry.getSession(), entry));
                seq = snapshot.getSeq();
            }
        }

        private void take(RoomEvent event) {
            if (event.getSeq() <= seq) {
                return;
            }
            assertThat(event.getSeq()).isEqualTo((int) seq + 1);
            seq = event.getSeq();
            events.add(event);
            if (!event.hasSession()) {
                return;
            }
            if (event.getNext().equals("absent")) {
                entries.remove(event.getSession());
            } else {
                entries.put(
                        event.getSession(),
                        RosterEntry.newBuilder()
                                .setSession(event.getSession())
                                .setParticipant(event.getParticipant())
                                .setGeneration(event.getGeneration())
                                .setState(event.getNext())
                                .build());
            }
        }

        synchronized long seq() {
            return seq;
        }

        synchronized List<RoomEvent> events() {
            return List.copyOf(events);
        }

        synchronized List<String> types() {
            return events.stream().map(RoomEvent::getType).toList();
        }

        /** As {@code participant:state:generation}, sorted. */
        synchronized List<String> picture() {
            return entries.values().stream()
                    .map(entry -> entry.getParticipant() + ":" + entry.getState() + ":" + entry.getGeneration())
                    .sorted()
                    .toList();
        }

        void awaitSeq(long wanted) {
            Awaiting.until("the watcher at " + wanted, () -> seq() >= wanted);
        }

        void awaitType(String type) {
            Awaiting.until("the watcher has seen " + type, () -> types().contains(type));
        }
    }

    /** The roster by REST in the form of {@link Watcher#picture}. */
    List<String> rosterPicture(String room) {
        return operator()
                .roster(room)
                .assertStatus(200)
                .json()
                .getJsonArray("entries")
                .getValuesAs(JsonObject.class)
                .stream()
                .map(entry -> entry.getString("participant") + ":" + entry.getString("state") + ":"
                        + entry.getInt("generation"))
                .sorted()
                .toList();
    }
}
