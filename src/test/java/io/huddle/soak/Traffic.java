package io.huddle.soak;

import io.huddle.harness.Answer;
import io.huddle.harness.Api;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Calls to everybody and renewals of every participant, by any node, at an even pace whatever becomes of them. */
final class Traffic {
    private static final int TIMEOUT_MS = 5_000;
    private static final Duration PATIENCE = Duration.ofMillis(TIMEOUT_MS + 3_000);
    private static final long RENEWAL_MS = 5_000;

    private final Place place;
    private final String room;
    private final List<Person> people;
    private final Random random;
    private final CountDownLatch end;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, Integer> outcomes = new ConcurrentHashMap<>();

    Traffic(Place place, String room, List<Person> people, Random random, CountDownLatch end) {
        this.place = place;
        this.room = room;
        this.people = people;
        this.random = random;
        this.end = end;
    }

    /** What was answered, by kind and outcome. */
    Map<String, Integer> outcomes() {
        return outcomes;
    }

    void call(int perSecond) throws InterruptedException {
        while (!end.await(1_000_000 / perSecond, TimeUnit.MICROSECONDS)) {
            call(people.get(random.nextInt(people.size())));
        }
    }

    void renew() throws InterruptedException {
        List<Person> participants =
                people.stream().filter(Person::isParticipant).toList();
        Random own = new Random(random.nextLong());
        while (end.getCount() > 0) {
            for (Person person : participants) {
                if (end.await(RENEWAL_MS / participants.size(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                Api api = place.integrator(place.any(own)).within(PATIENCE);
                String path =
                        "/rooms/" + room + "/sessions/" + person.recorder().client() + "/lease";
                JsonObject body =
                        Api.json().add("generation", person.generation()).build();
                var unused =
                        api.later("PUT", path, body).whenComplete((answer, failed) -> count("renew", answer, failed));
            }
        }
    }

    private void call(Person person) {
        Recorder recorder = person.recorder();
        long number = numbers.incrementAndGet();
        JsonObject body = Api.json()
                .add("type", "soak")
                .add("data", number)
                .add("timeoutMs", TIMEOUT_MS)
                .build();
        Api api = place.integrator(place.any(random)).within(PATIENCE);
        long invoked = System.nanoTime();
        var unused = api.later("POST", "/clients/" + recorder.client() + "/invoke", body)
                .whenComplete((answer, failed) -> {
                    boolean isOk = failed == null && answer.status() == 200;
                    recorder.ended(number, invoked, isOk ? answer.json().getInt("data") : 0);
                    count("call", answer, failed);
                });
    }

    private void count(String what, @Nullable Answer answer, @Nullable Throwable failed) {
        String outcome;
        if (answer == null || failed != null) {
            outcome = "nothing said";
        } else if (answer.status() < 300) {
            outcome = "ok";
        } else {
            outcome = answer.status() + " " + code(answer);
        }
        outcomes.merge(what + " " + outcome, 1, Integer::sum);
    }

    private static String code(Answer answer) {
        try {
            return answer.json().getString("code", "");
        } catch (RuntimeException noProblem) {
            return "";
        }
    }
}
