package io.huddle.event;

import jakarta.json.Json;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Gathers for a few milliseconds which rooms have something new, and tells the other nodes at once: one message at a time,
 * each with the newest number of each room. Safe for use by any thread.
 *
 * <p>Best effort. What is lost, because the message was, or because very many rooms changed at once, the others find by
 * their poll.
 */
final class HintBatch {
    private static final Logger LOG = Logger.getLogger(HintBatch.class.getName());

    /** Some 50 KiB of JSON. */
    static final int MOST_ROOMS = 1_000;

    /** Sends a text to the other nodes. */
    @FunctionalInterface
    interface Sender {
        CompletionStage<Void> send(String json);
    }

    /** Runs something in a few milliseconds. */
    @FunctionalInterface
    interface Delay {
        void later(Runnable work);
    }

    private final Sender sender;
    private final Delay delay;

    /** The newest number by room. Guarded by this, as is {@link #busy}. */
    private final Map<String, Long> gathered = new HashMap<>();

    /** True while a message waits or is on its way; what comes meanwhile goes with the next one. */
    private boolean busy;

    HintBatch(Sender sender, Delay delay) {
        this.sender = sender;
        this.delay = delay;
    }

    void add(String room, long seq) {
        synchronized (this) {
            if (gathered.size() < MOST_ROOMS || gathered.containsKey(room)) {
                gathered.merge(room, seq, Math::max);
            }
            if (busy) {
                return;
            }
            busy = true;
        }
        schedule();
    }

    private void schedule() {
        try {
            delay.later(this::send);
        } catch (RejectedExecutionException stopping) {
            LOG.log(Level.FINE, "other nodes were not told of new events", stopping);
            synchronized (this) {
                busy = false;
            }
        }
    }

    private void send() {
        String json = take();
        sent(json).whenComplete((done, failed) -> {
            if (failed != null) {
                LOG.log(Level.FINE, "other nodes were not told of new events", failed);
            }
            if (isMore()) {
                schedule();
            }
        });
    }

    private CompletionStage<Void> sent(String json) {
        try {
            return sender.send(json);
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private synchronized String take() {
        JsonObjectBuilder rooms = Json.createObjectBuilder();
        gathered.forEach(rooms::add);
        gathered.clear();
        return rooms.build().toString();
    }

    private synchronized boolean isMore() {
        busy = !gathered.isEmpty();
        return busy;
    }

    /** The rooms and numbers of a message; what another release may have written otherwise is left out. */
    static Map<String, Long> read(String json) {
        Map<String, Long> rooms = new HashMap<>();
        try (JsonReader reader = Json.createReader(new StringReader(json))) {
            JsonObject object = reader.readObject();
            object.forEach((room, seq) -> {
                if (seq instanceof JsonNumber number && number.isIntegral()) {
                    rooms.put(room, number.longValue());
                }
            });
        } catch (RuntimeException unreadable) {
            LOG.log(Level.FINE, "another node said something about events that cannot be read", unreadable);
        }
        return rooms;
    }
}
