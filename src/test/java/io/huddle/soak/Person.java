package io.huddle.soak;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import io.huddle.harness.StreamClient;
import io.huddle.wire.DCallRequest;
import io.huddle.wire.DCallResponse;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client that wants to be connected: to any node, to another when its node is silent, and now and then to another for no
 * reason. It leaves the connection before open, as a device does that changed networks, so that only the servers end it.
 * Each connection knows its number, and answers with it. {@link #live} is one thread's; the rest is for any.
 */
final class Person {
    private static final Duration CONNECT = Duration.ofSeconds(8);
    private static final Duration PING = Duration.ofSeconds(3);

    /** It moves without a reason about every twelve seconds. */
    private static final int PINGS_A_MOVE = 4;

    private static final int LEFT_OPEN = 3;

    private final Place place;
    private final Recorder recorder;
    private final Random random;
    private final CountDownLatch end;
    private final @Nullable String secret;
    private final String room;
    private final String participant;
    private final Queue<StreamClient> leftOpen = new ArrayDeque<>();
    private int attempts;
    private volatile boolean moves;
    private volatile long generation;
    private volatile @Nullable StreamClient stream;
    private volatile String lastRefusal = "";

    private Person(
            Place place,
            String client,
            @Nullable String secret,
            String room,
            String participant,
            Random random,
            CountDownLatch end) {
        this.place = place;
        this.recorder = new Recorder(client);
        this.secret = secret;
        this.room = room;
        this.participant = participant;
        this.random = random;
        this.end = end;
    }

    /** A client with a key. */
    static Person signed(Place place, String client, String secret, Random random, CountDownLatch end) {
        return new Person(place, client, secret, "", "", random, end);
    }

    /** A participant, who has joined. */
    static Person joined(Place place, String room, String participant, Random random, CountDownLatch end) {
        JsonObject joined = place.integrator(place.nodes.get(0))
                .joinAs(room, participant)
                .assertStatus(201)
                .json();
        Person person = new Person(place, joined.getString("session"), null, room, participant, random, end);
        person.generation = joined.getJsonNumber("generation").longValue();
        return person;
    }

    Recorder recorder() {
        return recorder;
    }

    boolean isParticipant() {
        return secret == null;
    }

    /** The newest generation that was joined. */
    long generation() {
        return generation;
    }

    String lastRefusal() {
        return lastRefusal;
    }

    /** True if its newest connection is open. */
    boolean isConnected() {
        StreamClient now = stream;
        return now != null && !now.isClosed();
    }

    /** Whether it leaves connections that are well, from now on; at first it does not. */
    void mayMove(boolean may) {
        moves = may;
    }

    /** Lives until the end. */
    void live() throws InterruptedException {
        while (end.getCount() > 0) {
            StreamClient connected = attempt();
            if (connected == null) {
                rest(300 + random.nextInt(700));
                continue;
            }
            stream = connected;
            stay(connected);
            leftOpen.add(connected);
            while (leftOpen.size() > LEFT_OPEN) {
                leftOpen.remove().close();
            }
        }
        StreamClient last = stream;
        if (last != null) {
            last.close();
        }
        leftOpen.forEach(StreamClient::close);
    }

    private @Nullable StreamClient attempt() throws InterruptedException {
        int number = ++attempts;
        StreamClient opened = null;
        try {
            StreamClient.Draft draft = draft(place.any(random));
            if (draft == null) {
                return null;
            }
            opened = draft.codec(StreamClient.Codec.PROTOBUF)
                    .answer(DCallRequest.class, call -> answer(call, number))
                    .open();
            long until = System.nanoTime() + CONNECT.toNanos();
            while (System.nanoTime() < until && !opened.isClosed()) {
                if (opened.pings() >= 2) {
                    recorder.activated(number);
                    return opened;
                }
                rest(20);
            }
            lastRefusal = opened.isClosed() ? opened.awaitClose().toString() : "not connected in time";
        } catch (RuntimeException | AssertionError refused) {
            lastRefusal = String.valueOf(refused.getMessage());
        }
        if (opened != null) {
            opened.close();
        }
        return null;
    }

    private StreamClient.@Nullable Draft draft(Node node) {
        String key = secret;
        if (key != null) {
            return StreamClient.to(node).signed(recorder.client(), key).with("supersede", "1");
        }
        Api api = place.integrator(place.any(random)).within(Duration.ofSeconds(4));
        Answer joined = api.joinAs(room, participant);
        if (joined.status() >= 300) {
            lastRefusal = joined.toString();
            return null;
        }
        generation = joined.json().getJsonNumber("generation").longValue();
        return StreamClient.to(node, joined);
    }

    private DCallResponse answer(DCallRequest call, int connection) {
        long number = Long.parseLong(call.getData());
        if (number > 0) {
            recorder.ran(number, connection);
        }
        return DCallResponse.newBuilder().setData(Integer.toString(connection)).build();
    }

    /** Until it is closed, silent, or left for another. */
    private void stay(StreamClient connected) throws InterruptedException {
        long pinged = System.nanoTime();
        int pings = connected.pings();
        var unused = connected.ping();
        while (end.getCount() > 0 && !connected.isClosed()) {
            rest(100);
            if (System.nanoTime() - pinged > PING.toNanos()) {
                boolean isSilent = connected.pings() == pings;
                if (isSilent || (moves && random.nextInt(PINGS_A_MOVE) == 0)) {
                    return;
                }
                pings = connected.pings();
                pinged = System.nanoTime();
                unused = connected.ping();
            }
        }
    }

    private void rest(int milliseconds) throws InterruptedException {
        boolean unused = end.await(milliseconds, TimeUnit.MILLISECONDS);
    }
}
