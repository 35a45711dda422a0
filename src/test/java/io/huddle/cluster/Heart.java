package io.huddle.cluster;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import io.huddle.harness.Node;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Renews one member through one node again and again, as its page does: also while the node refuses, hangs or is gone.
 * Remembers what it was told and when. For any thread.
 */
final class Heart {
    private final Member member;
    private final String path;
    private final List<Long> beats = new CopyOnWriteArrayList<>();
    private final List<Answer> unavailable = new CopyOnWriteArrayList<>();
    private final Set<String> refusals = ConcurrentHashMap.newKeySet();
    private volatile long longestNanos;

    private Heart(Member member) {
        this.member = member;
        this.path = "/rooms/" + member.room() + "/sessions/" + member.session() + "/lease";
    }

    /** Begins to beat, until the crew goes home. */
    static Heart of(Crew crew, Member member, Node node, Duration pace) {
        Heart heart = new Heart(member.on(node));
        crew.repeat(pace, heart::beat);
        return heart;
    }

    Member member() {
        return member;
    }

    /** The longest time without an accepted renewal since the instant of {@link System#nanoTime}, until now. */
    Duration longestGapSince(long nanos) {
        long longest = 0;
        long last = nanos;
        for (long beat : beats) {
            if (beat > nanos) {
                longest = Math.max(longest, beat - last);
                last = beat;
            }
        }
        return Duration.ofNanos(Math.max(longest, System.nanoTime() - last));
    }

    boolean hasBeatenSince(long nanos) {
        return beats.stream().anyMatch(beat -> beat - nanos > 0);
    }

    /** Codes of what was refused for good: anything but 200 and 503. */
    Set<String> refusals() {
        return Set.copyOf(refusals);
    }

    /** The 503s so far. */
    List<Answer> unavailable() {
        return List.copyOf(unavailable);
    }

    /** How long the slowest call took, answered or not. */
    Duration longestAnswer() {
        return Duration.ofNanos(longestNanos);
    }

    private CompletableFuture<?> beat() {
        long start = System.nanoTime();
        return member.api()
                .later(
                        "PUT",
                        path,
                        Api.json().add("generation", member.generation()).build())
                .whenComplete((answer, failed) -> took(System.nanoTime() - start))
                .thenAccept(this::hear);
    }

    private synchronized void took(long nanos) {
        longestNanos = Math.max(longestNanos, nanos);
    }

    private void hear(Answer answer) {
        if (answer.status() == 200) {
            beats.add(System.nanoTime());
        } else if (answer.status() == 503) {
            unavailable.add(answer);
        } else {
            refusals.add(answer.status() + " " + answer.json().getString("code", ""));
        }
    }
}
