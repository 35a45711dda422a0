package io.huddle.bench;

import io.huddle.wire.ServerMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client of {@code src/bench/run mesh}: {@code PORT1 PORT2 PORT3 PID1 REDIS RELAY SECONDS CLIENTS SETTLE PARTS}. Node 1 is
 * called, its links lead straight to node 2 and through a relay to node 3.
 */
public final class MeshBench {
    private static final int LINES = 64;
    private static final int BEHIND_LINES = 16;
    private static final int WARM_ROUNDS = 10;

    /** Of some pages each, whose many layers the compilers see seldom otherwise. */
    private static final int WARM_LISTINGS = 80;

    /** The numbers of the clients, from which on each kind begins. */
    private static final int REMOTE = 0;

    private static final int LOCAL = 64;
    private static final int CALLERS = 128;
    private static final int BEHIND = 192;
    private static final int MANY = 256;

    private final Findings findings = new Findings();
    private final Map<String, Integer> refusals = new TreeMap<>();
    private final Mesh mesh;
    private final RedisServer redis;
    private final Relay relay;
    private final long pid;
    private final double seconds;
    private final int many;
    private final double settle;
    private final List<String> parts;
    private List<WebSocketLine> callers = List.of();

    private MeshBench(String[] arguments) throws IOException {
        int[] ports = Arrays.stream(arguments, 0, 3).mapToInt(Integer::parseInt).toArray();
        mesh = new Mesh(ports);
        pid = Long.parseLong(arguments[3]);
        redis = new RedisServer(Integer.parseInt(arguments[4]));
        relay = new Relay(Integer.parseInt(arguments[5]), ports[2]);
        seconds = Double.parseDouble(arguments[6]);
        many = Integer.parseInt(arguments[7]);
        settle = Double.parseDouble(arguments[8]);
        parts = List.of(arguments[9].split(","));
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        MeshBench bench = new MeshBench(arguments);
        bench.run();
        System.out.println(bench.findings.json());
        System.exit(0);
    }

    private void run() throws IOException, InterruptedException {
        mesh.makeKeys(MANY + many);
        mesh.openTargets(2, REMOTE, LINES);
        mesh.openTargets(1, LOCAL, LINES);
        callers = mesh.open(1, CALLERS, LINES, 16).lines();
        // They are silent for longer than a stream may be while the client service is measured.
        mesh.keep(callers);
        if (parts.contains("calls")) {
            warm();
            invokeOneAtATime();
            invokeManyAtATime();
        }
        callers.forEach(line -> line.onMessage(pong -> {}));
        if (parts.contains("connections")) {
            connections();
        }
        if (parts.contains("failures")) {
            failures();
        }
    }

    // Calls.

    private void warm() throws IOException {
        for (int i = 0; i < 3; i++) {
            calls(callers, REMOTE, Math.min(5, seconds));
            calls(callers, LOCAL, Math.min(5, seconds));
            service(LOCAL, LINES, Math.min(5, seconds));
            service(REMOTE, LINES, Math.min(5, seconds));
        }
        refusals.clear();
    }

    /** By uCall over these lines, to as many clients, one call under way on each. */
    private Samples calls(List<WebSocketLine> lines, int first, double seconds) throws IOException {
        return new Round(lines, i -> mesh.call(first + i, 10_000), (answer, i) -> judge(Service.parse(answer)))
                .onlyFor(message -> Service.parse(message).getReply())
                .run(mesh.loop(), seconds);
    }

    private void judge(ServerMessage answer) {
        if (!answer.hasUCallResponse()) {
            refusals.merge(answer.hasError() ? answer.getError() : "a wrong answer", 1, Integer::sum);
        }
    }

    private int refused() {
        int sum = refusals.values().stream().mapToInt(Integer::intValue).sum();
        if (sum > 0) {
            findings.note("refusals: " + refusals);
        }
        refusals.clear();
        return sum;
    }

    /** The client service of node 1 itself, without the caller's stream. */
    private String service(int first, int atATime, double seconds) throws IOException {
        String line = mesh.get(1, "/bench/invoke?first=" + first + "&atATime=" + atATime + "&seconds=" + seconds, "");
        if (number(line, "refused") > 0) {
            findings.note("refusals: " + line.strip());
        }
        return line;
    }

    private static double number(String json, String name) {
        return Double.parseDouble(Service.field(json, name));
    }

    private void invokeOneAtATime() throws IOException {
        Samples remote = new Samples();
        Samples local = new Samples();
        List<String> remotes = new ArrayList<>();
        List<String> locals = new ArrayList<>();
        double each = Math.max(1, seconds / 12);
        for (int i = 0; i < 3; i++) {
            remote.add(calls(callers.subList(0, 1), REMOTE, each));
            local.add(calls(callers.subList(0, 1), LOCAL, each));
            remotes.add(service(REMOTE, 1, each));
            locals.add(service(LOCAL, 1, each));
        }
        findings.atMost("invoke node 1 to 2, one at a time, client service, p50", "ms", median(remotes, "p50Ms"), 1);
        findings.tell("  the same, p99", "ms", median(remotes, "p99Ms"));
        findings.tell("  the same to a client of node 1, p50", "ms", median(locals, "p50Ms"));
        findings.load("  by uCall of a client of node 1", remote, 0);
        findings.load("  by uCall to a client of node 1", local, refused());
        findings.tell("  hop of a uCall, p50", "ms", remote.ms(0.5) - local.ms(0.5));
    }

    private static double median(List<String> lines, String name) {
        return lines.stream().map(line -> number(line, name)).sorted().toList().get(lines.size() / 2);
    }

    private void invokeManyAtATime() throws IOException {
        double idle = commandsAnIdleSecond();
        long scripts = redis.scripts();
        long commands = redis.commands();
        Samples remote = calls(callers, REMOTE, seconds);
        double took = remote.count() / remote.perSecond();
        double perCall = (redis.commands() - commands - idle * took) / remote.count();
        double scriptsPerCall = (double) (redis.scripts() - scripts) / remote.count();
        String service = service(REMOTE, LINES, seconds);
        int refused = refused();
        findings.atLeast(
                "invoke node 1 to 2, 64 at a time for " + (int) seconds + " s, client service",
                "/s",
                number(service, "perSecond"),
                4_000);
        findings.tell("  the same, p99", "ms", number(service, "p99Ms"));
        findings.load("  by uCall of 64 clients of node 1", remote, refused);
        findings.atMost("  refusals of both", "", refused + number(service, "refused"), 0);
        findings.atMost("  Redis commands a call, those in scripts too, idle ones subtracted", "", perCall, 1);
        findings.tell("  scripts a call, with the idle ones", "", scriptsPerCall);
        String here = service(LOCAL, LINES, Math.min(20, seconds));
        findings.atLeast(
                "invoke by client id on node 1, 64 at a time, client service", "/s", number(here, "perSecond"), 10_000);
        findings.load("  by uCall", calls(callers, LOCAL, Math.min(20, seconds)), refused());
        findings.tell(
                "  ratio of the client service, other node to own",
                "",
                number(service, "perSecond") / number(here, "perSecond"));
    }

    private double commandsAnIdleSecond() throws IOException {
        long before = redis.commands();
        mesh.loop().rest(Math.min(10, seconds));
        return (redis.commands() - before) / Math.min(10, seconds);
    }

    // Connections.

    private void connections() throws IOException, InterruptedException {
        List<WebSocketLine> there = new ArrayList<>();
        // Each node has 10,000 places and some are taken.
        int half = many / 2;
        warmConnections(half);
        long scripts = redis.scripts();
        Samples first = opened(there, 1, MANY, half, LINES);
        findings.tell("scripts of Redis a connection", "", (double) (redis.scripts() - scripts) / half);
        Samples second = opened(there, 2, MANY + half, many - half, LINES);
        findings.atLeast("connect and activate by signature on node 1, 64 at a time", "/s", first.perSecond(), 800);
        findings.load("  the same", first, 0);
        findings.load("  the same on node 2", second, 0);
        takeovers(there, Math.min(half, 2_000));
        listing();
        mesh.forget(there);
        there.forEach(WebSocketLine::close);
        mesh.loop().rest(5);
    }

    /** The compilers are busy with the many layers of an upgrade for some thousands of them. */
    private void warmConnections(int half) throws IOException {
        for (int i = 0; i < WARM_ROUNDS; i++) {
            for (int node = 1; node <= 2; node++) {
                List<WebSocketLine> lines =
                        mesh.openForAWhile(node, MANY, half, LINES).lines();
                lines.forEach(WebSocketLine::close);
                mesh.loop().rest(1);
            }
        }
    }

    private Samples opened(List<WebSocketLine> there, int node, int first, int count, int atATime) throws IOException {
        Mesh.Opened opened = mesh.openForAWhile(node, first, count, atATime);
        mesh.keep(opened.lines());
        there.addAll(opened.lines());
        return opened.samples();
    }

    private void takeovers(List<WebSocketLine> there, int count) throws IOException {
        for (int i = 0; i < WARM_ROUNDS / 2; i++) {
            opened(there, 2, MANY, count, 16);
            opened(there, 1, MANY, count, 16);
        }
        Samples one = new Samples();
        Samples fresh = new Samples();
        for (int i = 0; i < Math.min(count, 300); i++) {
            // It is on node 1, then on 2, then on 1 again: each time from one node to the other.
            one.add(opened(there, 2, MANY + i, 1, 1));
            one.add(opened(there, 1, MANY + i, 1, 1));
            // The same handshake without anybody in the way.
            Mesh.Opened alone = mesh.openForAWhile(2, BEHIND, 1, 1);
            fresh.add(alone.samples());
            alone.lines().forEach(WebSocketLine::close);
            mesh.loop().rest(0.005);
        }
        long scripts = redis.scripts();
        Samples away = opened(there, 2, MANY, count, 16);
        Samples back = opened(there, 1, MANY, count, 16);
        findings.tell("scripts of Redis a takeover", "", (redis.scripts() - scripts) / (2.0 * count));
        findings.atMost("takeover from node to node, one at a time, p50", "ms", one.ms(0.5), 5);
        findings.load("  the same, from the TCP connection to the second ping", one, 0);
        findings.load("  a connection without anybody in the way, one at a time", fresh, 0);
        Samples both = new Samples();
        both.add(away);
        both.add(back);
        findings.atLeast("takeover from node to node, 16 at a time", "/s", both.perSecond(), 400);
        findings.load("  the same", both, 0);
    }

    private void listing() throws IOException, InterruptedException {
        String operator = mesh.operator();
        redis.rememberSlow(500);
        for (int limit : new int[] {1_000, 200}) {
            List<Double> all = new ArrayList<>();
            int found = 0;
            int pages = 0;
            long scripts = redis.scripts();
            for (int i = -WARM_LISTINGS; i < 15; i++) {
                if (i == 0) {
                    all.clear();
                    scripts = redis.scripts();
                }
                found = 0;
                pages = 0;
                long start = System.nanoTime();
                String cursor = "";
                do {
                    String page = mesh.get(1, "/api/v1/clients?limit=" + limit + cursor, operator);
                    found += count(page, "\"client\":");
                    pages++;
                    cursor = page.contains("\"next\":\"") ? "&cursor=" + Service.field(page, "next") : "";
                } while (!cursor.isEmpty());
                all.add((System.nanoTime() - start) / 1e6);
            }
            all.sort(null);
            String what = String.format(Locale.ROOT, "listing %,d clients by pages of %,d", found, limit);
            findings.atMost(what + ", median of 15", "ms", all.get(7), 100);
            findings.tell("  best; pages " + pages, "ms", all.get(0));
            findings.tell("  scripts of Redis a listing", "", (redis.scripts() - scripts) / 15.0);
        }
        List<Long> slow = redis.slow();
        findings.atMost(
                "  slowest command of Redis meanwhile (" + slow.size() + " over 0.5 ms)",
                "ms",
                slow.stream().mapToLong(Long::longValue).max().orElse(500) / 1e3,
                5);
    }

    private static int count(String text, String part) {
        int count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return count;
    }

    // Failures.

    private void failures() throws IOException, InterruptedException {
        mesh.forget(callers);
        mesh.openTargets(3, BEHIND, BEHIND_LINES);
        List<WebSocketLine> few = callers.subList(0, BEHIND_LINES);
        calls(few, BEHIND, Math.min(5, seconds));
        refused();
        Failing failing = new Failing(mesh, few, BEHIND);
        mesh.keep(callers);
        mesh.loop().rest(2);
        State before = state();
        for (int i = 0; i < 20 && failing.failed() < 10_000; i++) {
            if (i % 2 == 0) {
                relay.cutAnswers();
            } else {
                relay.cutRequests();
            }
            failing.burst(Math.min(3, seconds));
            relay.mend();
            mesh.loop().rest(Math.min(5, seconds));
        }
        findings.load("deadlines over a link that is cut one way, how late", failing.late(), 0);
        findings.atMost("  p99", "ms", failing.late().ms(0.99), 50);
        findings.note("outcomes: " + failing.outcomes());
        mesh.loop().rest(settle);
        State after = state();
        findings.tell(
                "after " + failing.failed() + " failed calls and " + settle + " s: threads more",
                "",
                after.threads - before.threads);
        findings.tell(
                "  heap after collections more, of " + before.heapKib / 1024 + " MiB",
                "MiB",
                (after.heapKib - before.heapKib) / 1024.0);
        findings.tell("  links of node 1, before " + before.links, "", after.links);
        Map<String, Integer> earlier = new TreeMap<>(failing.outcomes());
        failing.burst(0.1);
        findings.atLeast(
                "  calls answered as soon as the link is mended",
                "",
                failing.outcomes().getOrDefault("answered", 0) - earlier.getOrDefault("answered", 0),
                1);
    }

    private record State(int threads, long heapKib, double links) {}

    private State state() throws IOException, InterruptedException {
        for (int i = 0; i < 2; i++) {
            jcmd("GC.run");
            mesh.loop().rest(1);
        }
        Matcher used = Pattern.compile("used (\\d+)K").matcher(jcmd("GC.heap_info"));
        if (!used.find()) {
            throw new IOException("no heap");
        }
        int threads = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToInt(line -> Integer.parseInt(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
        return new State(threads, Long.parseLong(used.group(1)), mesh.metric(1, "huddle_mesh_links"));
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("jcmd", Long.toString(pid), command).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }
}
