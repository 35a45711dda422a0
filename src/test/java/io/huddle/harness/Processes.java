package io.huddle.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What nodes and databases share as child processes: signals, pid files, and the end of what a killed run left. */
public final class Processes {
    private static final String OWNER = "owner.pid";
    private static final Duration KILL_DEADLINE = Duration.ofSeconds(10);

    private Processes() {}

    /** Sends a signal by name ({@code STOP}, {@code CONT}, …); Java itself can only send TERM and KILL. */
    public static void signal(ProcessHandle process, String name) {
        try {
            // The shell's own kill: a bare image has no kill program.
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " " + process.pid() + ": " + said);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        }
    }

    /** Waits until the process is gone, however it was asked to go. */
    static void awaitEnd(ProcessHandle process, Duration deadline) {
        Awaiting.until(deadline, "end of process " + process.pid(), () -> isGone(process));
    }

    /** Ended, or a zombie: an orphan stays one for ever in a container whose first process does not reap. */
    private static boolean isGone(ProcessHandle process) {
        return !process.isAlive() || process.info().command().isEmpty();
    }

    /** SIGKILL to the process and all below it, without waiting. A stopped process dies of it too. */
    static void destroyTree(ProcessHandle process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** As {@link #destroyTree}, and the wait for the end of all of them. */
    static void killTree(ProcessHandle process) {
        List<ProcessHandle> below = process.descendants().toList();
        destroyTree(process);
        below.forEach(child -> awaitEnd(child, KILL_DEADLINE));
        awaitEnd(process, KILL_DEADLINE);
    }

    static IllegalStateException interrupted(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for a process", interrupted);
    }

    /** Notes that the folder belongs to this JVM: while this JVM lives, nobody else ends what runs in it. */
    static void own(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve(OWNER), Long.toString(ProcessHandle.current().pid()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Hands every folder under {@code root} whose JVM is gone to {@code end}. */
    static void forLeftovers(Path root, Consumer<Path> end) {
        if (!Files.isDirectory(root)) {
            return;
        }
        try (Stream<Path> folders = Files.list(root)) {
            folders.filter(folder -> Files.exists(folder.resolve(OWNER)))
                    .filter(folder -> !isOwnerAlive(folder))
                    .forEach(end);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean isOwnerAlive(Path folder) {
        return read(folder.resolve(OWNER))
                .filter(Processes::isJava)
                .filter(ProcessHandle::isAlive)
                .isPresent();
    }

    /** The live process whose pid is the first line of the file, if its command line holds {@code mark}. */
    static Optional<ProcessHandle> recorded(Path file, String mark) {
        return read(file)
                .filter(ProcessHandle::isAlive)
                .filter(process -> process.info().commandLine().orElse("").contains(mark));
    }

    static boolean isJava(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("java");
    }

    private static Optional<ProcessHandle> read(Path file) {
        try {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            return lines.isEmpty()
                    ? Optional.empty()
                    : ProcessHandle.of(Long.parseLong(lines.get(0).strip()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    static void deleteTree(Path root) {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
