package io.huddle.presence;

import io.huddle.presence.RenewalBatch.Pair;
import io.huddle.presence.RenewalBatch.Renewed;
import io.huddle.setting.Setting;
import io.huddle.store.DatabaseReady;
import io.huddle.store.DatabaseUnavailable;
import io.huddle.web.Traces;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Renewals by group commit: callers are gathered for a moment and written as one batch in one transaction, and each is
 * answered from its own row after the commit.
 *
 * <p>A writer takes the first renewal, lingers for the others if the last batch had any, writes. While it writes, the
 * next batch gathers by itself. Bounded everywhere: a full queue refuses at once, the linger and the batch have
 * settings, every statement has a timeout. What the batch does not answer (suspect, suspended, lapsed, stale, closed,
 * busy) takes the slow path, on threads of its own, with room and session locked.
 *
 * <p>A SIGKILL costs the batch under way: its callers get no answer, and either all of it was committed or none. Both are
 * harmless, since a renewal repeats well. Safe for use by any thread.
 */
@ApplicationScoped
public class Renewals {
    private static final Logger LOG = Logger.getLogger(Renewals.class.getName());
    private static final int IDLE_MS = 500;

    /** How many are answered by one task: more would make the last of them wait for longer than a task costs. */
    private static final int ANSWERED_TOGETHER = 32;

    private final long lingerNanos = TimeUnit.MILLISECONDS.toNanos(Setting.RENEWAL_LINGER_MS.value());
    private final int most = Setting.RENEWAL_BATCH.value();
    private final BlockingQueue<Request> queue = new ArrayBlockingQueue<>(Setting.RENEWAL_QUEUE.value());
    private final BlockingQueue<Request> slow = new ArrayBlockingQueue<>(Setting.RENEWAL_QUEUE.value());

    @Inject
    private RenewalBatch batch;

    @Inject
    private Sessions sessions;

    @Inject
    private PresenceMetrics metrics;

    @Inject
    private Traces traces;

    @Resource
    private ManagedThreadFactory threads;

    @Resource
    private ManagedExecutorService executor;

    private volatile boolean stopped;

    /** How many the last batch held: whoever comes alone need not wait for company. A hint; any writer's will do. */
    private volatile int lastBatch;

    private record Request(
            String room,
            String session,
            long generation,
            @Nullable Long counter,
            @Nullable String trace,
            boolean together,
            boolean synthetic,
            CompletableFuture<Renewal> answer) {
        Pair pair() {
            return new Pair(session, generation);
        }
    }

    /** What a request is answered: a renewal, or why there is none. */
    private record Answer(
            Request request,
            @Nullable Renewal renewal,
            @Nullable Throwable failed) {
        void give() {
            if (failed == null) {
                request.answer.complete(renewal);
            } else {
                request.answer.completeExceptionally(failed);
            }
        }
    }

    void start(@Observes DatabaseReady ready) {
        for (int i = 0; i < Setting.RENEWAL_WRITERS.value(); i++) {
            threads.newThread(this::writeBatches).start();
        }
        for (int i = 0; i < Setting.RENEWAL_SLOW_PATH.value(); i++) {
            threads.newThread(this::renewSlowly).start();
        }
    }

    @PreDestroy
    void stop() {
        stopped = true;
    }

    /**
     * Renews the lease of one generation.
     *
     * <p>The caller has checked that the session is its own. Never blocks.
     *
     * @param counter the client's counter, null without one
     * @param trace the caller's trace id, null without one
     * @return completed after the commit, on a writer's thread: do not work on it. Exceptionally with a
     *     {@link io.huddle.web.Refused} or a {@link DatabaseUnavailable}
     */
    public CompletionStage<Renewal> renew(
            String room, String session, long generation, @Nullable Long counter, @Nullable String trace) {
        return enqueue(new Request(room, session, generation, counter, trace, false, false, new CompletableFuture<>()));
    }

    private CompletionStage<Renewal> enqueue(Request request) {
        if (!queue.offer(request)) {
            metrics.renewalQueueFull();
            request.answer.completeExceptionally(
                    new DatabaseUnavailable("the queue of renewals is full; the database does not keep up", null));
        }
        return request.answer;
    }

    /**
     * The same for a face of the service, which works on the answer: completed on a thread of the pool, so that the writer
     * goes on with the next batch.
     */
    CompletionStage<Renewal> renew(Places.Place place, long generation, @Nullable Long counter) {
        CompletableFuture<Renewal> answer = new CompletableFuture<>();
        enqueue(new Request(
                        place.room(),
                        place.session(),
                        generation,
                        counter,
                        traces.current(),
                        false,
                        place.synthetic(),
                        new CompletableFuture<>()))
                .whenCompleteAsync(
                        (renewal, failed) -> {
                            if (failed == null) {
                                answer.complete(renewal);
                            } else {
                                answer.completeExceptionally(failed);
                            }
                        },
                        executor);
        return answer;
    }

    /**
     * The same for a face whose work on an answer is short and never waits: the answers of a batch are given one after the
     * other on a thread of the pool, since handing each one over by itself costs more than that work.
     */
    CompletionStage<Renewal> renewTogether(Places.Place place, long generation, @Nullable Long counter) {
        return enqueue(new Request(
                place.room(),
                place.session(),
                generation,
                counter,
                traces.current(),
                true,
                place.synthetic(),
                new CompletableFuture<>()));
    }

    private void writeBatches() {
        List<Request> gathered = new ArrayList<>(most);
        while (!stopped) {
            try {
                if (gather(gathered)) {
                    write(gathered);
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            } catch (SQLException | RuntimeException failed) {
                answer(gathered.stream()
                        .map(request -> new Answer(request, null, failed))
                        .toList());
            }
            gathered.clear();
        }
    }

    private boolean gather(List<Request> gathered) throws InterruptedException {
        Request first = queue.poll(IDLE_MS, TimeUnit.MILLISECONDS);
        if (first == null) {
            return false;
        }
        gathered.add(first);
        if (lastBatch > 1 && lingerNanos > 0 && queue.size() < most - 1) {
            LockSupport.parkNanos(lingerNanos);
        }
        queue.drainTo(gathered, most - 1);
        lastBatch = gathered.size();
        return true;
    }

    private void write(List<Request> gathered) throws SQLException {
        Map<Pair, Long> wanted = new HashMap<>();
        for (Request request : gathered) {
            long counter = request.counter == null ? Seat.NO_COUNTER : request.counter;
            wanted.merge(request.pair(), counter, Math::max);
        }
        Map<Pair, Renewed> renewed = batch.write(wanted);
        metrics.renewed(counted(gathered, renewed));
        List<Answer> answers = new ArrayList<>(gathered.size());
        for (Request request : gathered) {
            Renewed one = renewed.get(request.pair());
            if (one != null) {
                Renewal renewal = new Renewal(SessionState.PRESENT.wire(), one.leaseUntil(), one.now());
                answers.add(new Answer(request, renewal, null));
            } else if (!slow.offer(request)) {
                metrics.renewalQueueFull();
                answers.add(
                        new Answer(request, null, new DatabaseUnavailable("the slow path of renewals is full", null)));
            }
        }
        answer(answers);
    }

    /** The renewals of rooms that are not synthetic. */
    private static Collection<Renewed> counted(List<Request> gathered, Map<Pair, Renewed> renewed) {
        if (gathered.stream().noneMatch(Request::synthetic)) {
            return renewed.values();
        }
        Map<Pair, Renewed> counted = new HashMap<>(renewed);
        gathered.stream().filter(Request::synthetic).map(Request::pair).forEach(counted::remove);
        return counted.values();
    }

    /** Gives the answers of this thread away; those that are given together first, as they are worked on elsewhere. */
    private void answer(List<Answer> answers) {
        List<Answer> together =
                answers.stream().filter(answer -> answer.request.together).toList();
        for (int from = 0; from < together.size(); from += ANSWERED_TOGETHER) {
            List<Answer> some = together.subList(from, Math.min(together.size(), from + ANSWERED_TOGETHER));
            try {
                executor.execute(() -> some.forEach(Answer::give));
            } catch (RejectedExecutionException ending) {
                LOG.log(Level.FINE, "the executor takes no more", ending);
                some.forEach(Answer::give);
            }
        }
        answers.stream().filter(answer -> !answer.request.together).forEach(Answer::give);
    }

    private void renewSlowly() {
        while (!stopped) {
            try {
                Request request = slow.poll(IDLE_MS, TimeUnit.MILLISECONDS);
                if (request != null) {
                    traces.resume(request.trace, () -> renewSlowly(request));
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void renewSlowly(Request request) {
        try {
            Sessions.Outcome outcome =
                    sessions.renew(request.room, request.session, request.generation, request.counter);
            answer(List.of(new Answer(request, Renewal.of(outcome), null)));
        } catch (SQLException | RuntimeException failed) {
            LOG.log(Level.FINE, "a renewal was refused or failed", failed);
            answer(List.of(new Answer(request, null, failed)));
        }
    }
}
