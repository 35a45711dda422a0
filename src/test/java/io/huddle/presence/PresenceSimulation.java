package io.huddle.presence;

import io.huddle.presence.ModelStore.Command;
import io.huddle.presence.ModelStore.Kind;
import io.huddle.presence.ModelStore.ModelRoom;
import io.huddle.presence.ModelStore.ModelSession;
import io.huddle.rollout.Stage;
import io.huddle.room.RoomState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * People, devices, a network and nodes around the pure rules, driven by one seed.
 *
 * <p>Each participant has two devices that take the session over from each other, fall asleep, and speak through a network
 * that duplicates, reorders, delays for minutes and loses. Three nodes sweep; they are stopped half way and go on later
 * with what they had written. Operators change the rollout stage of a room's team, forward and back. Rooms close in three steps that may never be finished by whoever began. The database goes
 * away for up to a minute, its clock jumps back. Only the store knows the time. After every step
 * {@link PresenceInvariants} are asked.
 */
final class PresenceSimulation {
    private static final List<Stage> STAGES = List.of(Stage.values());
    private static final int OPEN_ROOMS = 3;
    private static final int OLD_ROOMS = 4;
    private static final int PARTICIPANTS = 5;
    private static final int NODES = 3;
    private static final int NETWORK = 200;
    private static final int REMEMBERED = 30;
    private static final Duration SWEEP_INTERVAL = Duration.ofMillis(250);
    private static final Duration OVERDUE = Duration.ofMillis(40);

    private final long seed;
    private final Random random;
    private final ModelStore store = new ModelStore();
    private final List<Device> devices = new ArrayList<>();
    private final List<Command> network = new ArrayList<>();
    private final List<Runnable> closers = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Deque<Object[]> steps = new ArrayDeque<>();
    private int roomsMade;
    private int step;
    /** Rooms whose lock was busy when a sweep last came by. */
    private final Set<ModelRoom> skipped = new HashSet<>();

    private @Nullable Instant outageUntil;
    private @Nullable Instant reachable = store.now();

    /** What a device believes, which may long be wrong. */
    private static final class Device {
        final ModelSession session;
        long generation;
        long counter;
        int key;
        Instant asleepUntil = Instant.MIN;

        Device(ModelSession session) {
            this.session = session;
        }
    }

    private static final class Node {
        final int id;
        Instant next;
        Instant stoppedUntil = Instant.MIN;

        @Nullable
        Moment written;

        List<ModelRoom> due = List.of();

        Node(int id, Instant next) {
            this.id = id;
            this.next = next;
        }

        @Override
        public String toString() {
            return "N" + id;
        }
    }

    PresenceSimulation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i + 1, store.now()));
        }
        for (int i = 0; i < OPEN_ROOMS; i++) {
            openRoom();
        }
    }

    /** @throws AssertionError with seed, step and the steps before where an invariant breaks */
    Map<String, Long> run(int count) {
        for (step = 1; step <= count; step++) {
            try {
                step();
                store.invariants.afterStep(store.rooms, store.now(), reachable);
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError(story(broken), broken);
            }
        }
        return store.invariants.counts();
    }

    private String story(Throwable broken) {
        StringBuilder story = new StringBuilder("huddle.seed=" + seed + ", step " + step + ": " + broken.getMessage());
        for (Object[] one : steps) {
            story.append(System.lineSeparator()).append("  ");
            for (Object part : one) {
                story.append(part).append(' ');
            }
        }
        return story.toString();
    }

    private void note(Object... what) {
        if (steps.size() == REMEMBERED) {
            steps.removeFirst();
        }
        Object[] noted = new Object[what.length + 2];
        noted[0] = step;
        noted[1] = store.now();
        System.arraycopy(what, 0, noted, 2, what.length);
        steps.addLast(noted);
    }

    private void step() {
        Instant end = outageUntil;
        if (end != null) {
            passOutage(end);
            return;
        }
        Node overdue = overdue();
        if (overdue != null) {
            work(overdue);
            return;
        }
        int dice = random.nextInt(10_000);
        if (dice < 2_500) {
            pass(1 + random.nextInt(40));
        } else if (dice < 5_600) {
            act(devices.get(random.nextInt(devices.size())));
        } else if (dice < 9_400) {
            deliver();
        } else if (dice < 9_900) {
            work(nodes.get(random.nextInt(NODES)));
        } else if (dice < 9_980) {
            close();
        } else if (dice < 9_985) {
            ModelRoom room = store.rooms.get(random.nextInt(store.rooms.size()));
            store.changeStage(room, anyStage());
            note("the stage of", room);
        } else {
            strike();
        }
    }

    private void pass(int milliseconds) {
        store.pass(Duration.ofMillis(milliseconds));
        note("time passes");
    }

    /** The rare: a node stops, the database goes away, the clock jumps back. */
    private void strike() {
        int dice = random.nextInt(100);
        if (dice < 60) {
            Node node = nodes.get(random.nextInt(NODES));
            boolean last = nodes.stream().filter(other -> other != node).allMatch(this::isStopped);
            if (!last) {
                node.stoppedUntil = store.now().plusMillis(random.nextInt(30_000));
                note(node, "is stopped until", node.stoppedUntil);
            }
        } else if (dice < 92) {
            int longest = random.nextBoolean() ? 2_500 : 60_000;
            outageUntil = store.now().plusMillis(random.nextInt(longest));
            reachable = null;
            note("the database is away until", outageUntil);
        } else {
            store.stepBack(Duration.ofMillis(random.nextInt(random.nextBoolean() ? 1_000 : 20_000)));
            nodes.forEach(node -> node.next = store.now());
            reachable = store.now();
            note("the clock stepped back");
        }
    }

    private void passOutage(Instant end) {
        pass(1 + random.nextInt(3_000));
        if (!store.now().isBefore(end)) {
            outageUntil = null;
            reachable = store.now();
            note("the database is back");
        }
    }

    private boolean isStopped(Node node) {
        return node.stoppedUntil.isAfter(store.now());
    }

    private @Nullable Node overdue() {
        Instant late = store.now().minus(OVERDUE);
        for (Node node : nodes) {
            if (node.next.isBefore(late) && !isStopped(node)) {
                return node;
            }
        }
        return null;
    }

    /**
     * One transaction of a node's sweep. It finds the beat taken only while another node that runs is sweeping, and skips a
     * busy room once and not for ever: locks of a second and more are what the connections' timeouts are for.
     */
    private void work(Node node) {
        if (isStopped(node)) {
            return;
        }
        boolean busy = random.nextInt(20) == 0;
        Moment written = node.written;
        if (written == null) {
            if (!node.next.isAfter(store.now())) {
                beginSweep(node, busy && isAnotherSweeping(node));
            }
        } else if (!node.due.isEmpty()) {
            sweepOne(node, written, busy);
        } else {
            for (ModelRoom room : store.abandoned()) {
                note(node, "finishes", room);
                store.endLeases(room);
                store.finishClosing(room);
                closed();
            }
            node.written = null;
            node.next = store.now().plus(SWEEP_INTERVAL);
        }
    }

    private boolean isAnotherSweeping(Node node) {
        return nodes.stream().anyMatch(other -> other != node && other.written != null && !isStopped(other));
    }

    private void sweepOne(Node node, Moment written, boolean busy) {
        ModelRoom room = node.due.remove(node.due.size() - 1);
        boolean skip = busy && !skipped.contains(room);
        note(node, skip ? "skips" : "sweeps", room, "as of", written.now());
        if (skip) {
            skipped.add(room);
        } else {
            skipped.remove(room);
            store.sweep(room, written);
        }
    }

    private void beginSweep(Node node, boolean taken) {
        if (taken) {
            note(node, "finds another sweep at work");
            node.next = store.now().plus(SWEEP_INTERVAL);
            return;
        }
        boolean stale = store.isStale();
        Moment moment = store.advance();
        note(node, stale ? "forgives and beats" : "beats");
        node.written = moment;
        node.due = new ArrayList<>(store.due(moment));
    }

    /** A device sends something, mostly a renewal. */
    private void act(Device device) {
        if (device.asleepUntil.isAfter(store.now())) {
            return;
        }
        int dice = random.nextInt(1_000);
        if (dice < 20) {
            device.asleepUntil = store.now().plusMillis(random.nextInt(40_000));
            note(device.session, "falls asleep until", device.asleepUntil);
        } else if (device.generation == 0 || dice < 60) {
            boolean again = random.nextInt(3) == 0;
            device.key = again ? device.key : device.key + 1;
            Integer key = random.nextInt(4) == 0 ? null : device.key * 2 + (devices.indexOf(device) & 1);
            send(new Command(Kind.JOIN, device.session, 0, null, key, false));
        } else if (dice < 880) {
            send(of(Kind.RENEW, device));
        } else if (dice < 930) {
            send(of(Kind.SUSPEND, device));
        } else if (dice < 980) {
            send(of(Kind.MEDIA, device));
        } else {
            send(of(dice < 992 ? Kind.LEAVE : Kind.REMOVE, device));
        }
    }

    private Command of(Kind kind, Device device) {
        boolean counted = random.nextInt(5) > 0 && (kind == Kind.RENEW || kind == Kind.SUSPEND);
        if (counted) {
            device.counter++;
        }
        boolean old = device.generation > 1 && random.nextInt(50) == 0;
        return new Command(
                kind,
                device.session,
                old ? 1 + random.nextInt((int) device.generation) : device.generation,
                counted ? device.counter : null,
                null,
                kind == Kind.MEDIA && random.nextInt(3) == 0);
    }

    private void send(Command command) {
        if (network.size() < NETWORK) {
            network.add(command);
        }
    }

    /** Delivers any message: most often a young one, sometimes one of long ago, sometimes again later. */
    private void deliver() {
        if (network.isEmpty()) {
            return;
        }
        int size = network.size();
        int at = random.nextInt(10) == 0 ? random.nextInt(size) : size - 1 - random.nextInt(Math.min(size, 6));
        Command command = network.get(at);
        if (random.nextInt(10) > 0) {
            network.set(at, network.get(size - 1));
            network.remove(size - 1);
        }
        if (random.nextInt(50) == 0) {
            return;
        }
        Verdict verdict = store.execute(command, random.nextBoolean());
        note(command, verdict == null ? "unavailable" : verdict);
        boolean heard = random.nextInt(20) > 0;
        if (verdict != null && heard) {
            hear(command, verdict);
        }
    }

    private void hear(Command command, Verdict verdict) {
        if (command.kind() == Kind.JOIN && verdict.refusal() == null) {
            Device device = devices.get(random.nextInt(devices.size()));
            for (Device one : devices) {
                if (one.session == command.session() && (random.nextBoolean() || one.generation == 0)) {
                    device = one;
                }
            }
            if (device.session == command.session()) {
                device.generation = verdict.seat().generation();
                device.counter = 0;
            }
        } else if (verdict.refusal() != null && random.nextInt(4) == 0) {
            for (Device one : devices) {
                if (one.session == command.session() && one.generation == command.generation()) {
                    one.generation = 0;
                }
            }
        }
    }

    /** Begins to close a room, or goes on with one; what is not gone on with is left for the sweeps. */
    private void close() {
        if (!closers.isEmpty() && random.nextInt(3) > 0) {
            closers.remove(random.nextInt(closers.size())).run();
            closed();
            return;
        }
        ModelRoom room = store.rooms.get(random.nextInt(store.rooms.size()));
        if (room.state == RoomState.OPEN && random.nextInt(20) == 0) {
            store.beginClosing(room);
            note("closes", room);
            if (random.nextInt(4) > 0) {
                closers.add(() -> {
                    note("ends the leases of", room);
                    store.endLeases(room);
                    closers.add(() -> {
                        note("finishes", room);
                        store.finishClosing(room);
                    });
                });
            }
        }
    }

    /** Makes way for new rooms; the oldest closed ones are forgotten with their devices and messages. */
    private void closed() {
        long open = store.rooms.stream()
                .filter(room -> room.state != RoomState.CLOSED)
                .count();
        for (long i = open; i < OPEN_ROOMS; i++) {
            openRoom();
        }
        while (store.rooms.size() > OPEN_ROOMS + OLD_ROOMS) {
            ModelRoom oldest = store.rooms.stream()
                    .filter(room -> room.state == RoomState.CLOSED)
                    .findFirst()
                    .orElseThrow();
            store.rooms.remove(oldest);
            store.invariants.forget(oldest);
            devices.removeIf(device -> device.session.room == oldest);
            network.removeIf(command -> command.session().room == oldest);
        }
    }

    /** Half of the time one in which leases decide: there the most can go wrong. */
    private Stage anyStage() {
        return random.nextBoolean() ? Stage.ALERTING : STAGES.get(random.nextInt(STAGES.size()));
    }

    private void openRoom() {
        int heartbeat = 1 + random.nextInt(5);
        Terms terms = Terms.ofSeconds(heartbeat, Math.max(5, heartbeat * 3), 30 + random.nextInt(60));
        int places = PARTICIPANTS - random.nextInt(2);
        ModelRoom room = new ModelRoom(++roomsMade, terms, places, PARTICIPANTS, anyStage());
        store.open(room);
        for (ModelSession session : room.sessions) {
            devices.add(new Device(session));
            devices.add(new Device(session));
        }
    }
}
