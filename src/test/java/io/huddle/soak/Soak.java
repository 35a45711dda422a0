package io.huddle.soak;

import io.huddle.harness.Api;
import io.huddle.soak.DeliveryCheck.Verdict;
import io.huddle.soak.DeliveryCheck.Violation;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * {@code MINUTES SIGNED PARTICIPANTS CALLS_PER_SECOND}, with {@code -Dhuddle.seed} for a run like an earlier one. Ends with 1
 * if anything is wrong.
 */
final class Soak {
    private static final Duration RECOVERY = Duration.ofMinutes(2);

    private final long seed = Long.getLong("huddle.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Person> people = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> report = new ArrayList<>();

    /** What ended one of the threads, with its trace. */
    private final Queue<String> defects = new ConcurrentLinkedQueue<>();

    private boolean isWell = true;

    private Soak() {}

    public static void main(String[] arguments) throws Exception {
        Soak soak = new Soak();
        boolean isWell;
        try (Place place = new Place()) {
            isWell = soak.run(
                    place,
                    Double.parseDouble(arguments[0]),
                    Integer.parseInt(arguments[1]),
                    Integer.parseInt(arguments[2]),
                    Integer.parseInt(arguments[3]));
        }
        System.exit(isWell ? 0 : 1);
    }

    private boolean run(Place place, double minutes, int signed, int participants, int perSecond) throws Exception {
        tell("seed     " + seed + " (repeat with BENCH_SEED=" + seed + ")");
        String room = place.room();
        for (int i = 0; i < signed; i++) {
            people.add(signed(place, "c-soak" + i));
        }
        for (int i = 0; i < participants; i++) {
            people.add(Person.joined(place, room, "p-" + i, new Random(random.nextLong()), end));
        }
        Faults faults = new Faults(place, new Random(random.nextLong()), end);
        Traffic traffic = new Traffic(place, room, people, new Random(random.nextLong()), end);
        people.forEach(person -> start(() -> {
            person.live();
            return true;
        }));
        start(() -> {
            traffic.renew();
            return true;
        });
        List<String> before = settled(place);
        tell("before   " + (before.isEmpty() ? people.size() + " connected, all invariants hold" : before));
        people.forEach(person -> person.mayMove(true));
        start(() -> {
            traffic.call(perSecond);
            return true;
        });
        faults.until(System.nanoTime() + (long) (minutes * 60e9));
        long mended = System.nanoTime();
        people.forEach(person -> person.mayMove(false));
        List<String> broken = settled(place);
        double recovery = (System.nanoTime() - mended) / 1e9;
        end.countDown();
        threads.shutdown();
        if (!threads.awaitTermination(60, TimeUnit.SECONDS)) {
            tell("threads  some did not end");
        }
        tell("faults   " + faults.counts());
        tell("traffic  " + new TreeMap<>(traffic.outcomes()));
        judge();
        List<String> failed = List.copyOf(defects);
        failed.forEach(trace -> tell("DEFECT   " + trace));
        tell(String.format(Locale.ROOT, "recovery %.1f s after the last fault until all invariants held", recovery));
        broken.forEach(sentence -> tell("BROKEN   " + sentence));
        isWell &= before.isEmpty() && broken.isEmpty() && failed.isEmpty();
        tell(isWell ? "all is well" : "NOT WELL");
        write();
        return isWell;
    }

    private Person signed(Place place, String client) {
        JsonObject key = Api.json()
                .add("client", client)
                .add("roles", Json.createArrayBuilder().add("participant"))
                .add("teams", Json.createArrayBuilder().add(Place.TEAM))
                .build();
        String secret = place.operator(place.nodes.get(0))
                .post("/admin/clients/keys", key)
                .assertStatus(201)
                .json()
                .getString("secret");
        return Person.signed(place, client, secret, new Random(random.nextLong()), end);
    }

    /** What is still broken after as long as recovery may take. */
    private List<String> settled(Place place) throws InterruptedException {
        long until = System.nanoTime() + RECOVERY.toNanos();
        List<String> broken = Invariants.broken(place, people);
        while (!broken.isEmpty() && System.nanoTime() < until) {
            boolean unused = end.await(1, TimeUnit.SECONDS);
            broken = Invariants.broken(place, people);
        }
        return broken;
    }

    private void judge() {
        int connections = 0;
        int unanswered = 0;
        int late = 0;
        List<Violation> violations = new ArrayList<>();
        for (Person person : people) {
            Verdict verdict = DeliveryCheck.check(person.recorder().history());
            connections += person.recorder().connections();
            unanswered += verdict.neverAnswered();
            late += verdict.lateRuns();
            violations.addAll(verdict.violations());
        }
        tell("clients  " + people.size() + " with " + connections + " connections");
        tell("runs     " + unanswered + " of calls that were never answered ok, " + late
                + " of them on an old connection: counted, no violations");
        tell("double   " + violations.size() + " violations (writes after a fence cannot be seen from outside)");
        violations.stream().limit(50).forEach(violation -> tell("VIOLATION " + violation));
        isWell &= violations.isEmpty();
    }

    private void start(Callable<Boolean> work) {
        var unused = threads.submit(() -> {
            try {
                return work.call();
            } catch (RuntimeException | Error defect) {
                StringWriter trace = new StringWriter();
                defect.printStackTrace(new PrintWriter(trace, true));
                defects.add(trace.toString());
                throw defect;
            }
        });
    }

    private void tell(String line) {
        report.add(line);
        System.out.println(line);
    }

    private void write() throws IOException {
        Path folder = Path.of("target", "soak");
        Files.createDirectories(folder);
        Path file = folder.resolve(seed + ".txt");
        Files.write(file, report);
        System.out.println("written to " + file);
    }
}
