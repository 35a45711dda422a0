package io.huddle.soak;

import io.huddle.soak.History.Activation;
import io.huddle.soak.History.Call;
import io.huddle.soak.History.Fence;
import io.huddle.soak.History.Run;
import io.huddle.soak.History.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges whether two connections of one client id were owners at the same time. Pure.
 *
 * <p>Of a connection and any later one a history violates the promise if
 *
 * <ol>
 *   <li>a call invoked after the later one's activation is answered ok through the earlier one,
 *   <li>a call that was answered ok ran on the earlier one after the first ok of the later one, or
 *   <li>a frame was written to the earlier one after its fence was acknowledged.
 * </ol>
 *
 * <p>A frame that was checked before a pause may still reach an old socket. Its call is never answered ok; such runs are
 * counted and no violations.
 */
final class DeliveryCheck {
    /** Which of the three. */
    enum Rule {
        INVOKED_AFTER_ACTIVATION,
        RAN_AFTER_LATER_OK,
        WRITTEN_AFTER_FENCE
    }

    record Violation(Rule rule, String client, String facts) {}

    /**
     * @param neverAnswered runs of calls that were never answered ok
     * @param lateRuns those of them on a connection after a later one's activation
     */
    record Verdict(List<Violation> violations, int neverAnswered, int lateRuns) {}

    private final History history;
    private final List<Violation> violations = new ArrayList<>();
    private final Map<Integer, Integer> places = new HashMap<>();

    private DeliveryCheck(History history) {
        this.history = history;
        for (Activation activation : history.connections()) {
            if (places.put(activation.connection(), places.size()) != null) {
                throw new IllegalArgumentException("activated twice: " + activation + " of " + history.client());
            }
        }
    }

    /** @throws IllegalArgumentException for a history that cannot be: a connection activated twice, two calls of one id */
    static Verdict check(History history) {
        DeliveryCheck check = new DeliveryCheck(history);
        Map<Long, Call> calls = check.calls();
        check.invokedAfterActivation();
        check.ranAfterLaterOk(calls);
        check.writtenAfterFence();
        List<Run> unanswered = history.runs().stream()
                .filter(run -> !isOk(calls.get(run.call())))
                .toList();
        int late = (int) unanswered.stream().filter(check::isLate).count();
        return new Verdict(List.copyOf(check.violations), unanswered.size(), late);
    }

    private Map<Long, Call> calls() {
        Map<Long, Call> calls = new HashMap<>();
        for (Call call : history.calls()) {
            if (calls.put(call.id(), call) != null) {
                throw new IllegalArgumentException("two calls of one id: " + call);
            }
        }
        return calls;
    }

    private static boolean isOk(@org.jspecify.annotations.Nullable Call call) {
        return call != null && call.isOk();
    }

    /** Those activated after this connection. One that was never seen activated has none: its place is not known. */
    private List<Activation> later(int connection) {
        Integer place = places.get(connection);
        return place == null
                ? List.of()
                : history.connections().subList(place + 1, history.connections().size());
    }

    private boolean isLate(Run run) {
        return later(run.connection()).stream().anyMatch(later -> later.at() < run.at());
    }

    private void invokedAfterActivation() {
        for (Call call : history.calls()) {
            later(call.through()).stream()
                    .filter(later -> later.at() < call.invokedAt())
                    .findFirst()
                    .ifPresent(later -> found(Rule.INVOKED_AFTER_ACTIVATION, call + " although before it " + later));
        }
    }

    private void ranAfterLaterOk(Map<Long, Call> calls) {
        Map<Integer, Call> firstOk = new HashMap<>();
        for (Call call : history.calls()) {
            if (call.isOk()) {
                firstOk.merge(
                        call.through(), call, (one, other) -> one.answeredAt() <= other.answeredAt() ? one : other);
            }
        }
        Set<Run> told = new HashSet<>();
        for (Run run : history.runs()) {
            if (!isOk(calls.get(run.call()))) {
                continue;
            }
            for (Activation later : later(run.connection())) {
                Call first = firstOk.get(later.connection());
                if (first != null && first.answeredAt() < run.at() && told.add(run)) {
                    found(Rule.RAN_AFTER_LATER_OK, run + " of " + calls.get(run.call()) + " after " + first);
                }
            }
        }
    }

    private void writtenAfterFence() {
        Map<Integer, Long> fenced = new HashMap<>();
        for (Fence fence : history.fences()) {
            fenced.merge(fence.connection(), fence.at(), Math::min);
        }
        for (Write write : history.writes()) {
            Long at = fenced.get(write.connection());
            if (at != null && at < write.at()) {
                found(Rule.WRITTEN_AFTER_FENCE, write + " after the fence at " + at);
            }
        }
    }

    private void found(Rule rule, String facts) {
        violations.add(new Violation(rule, history.client(), facts));
    }
}
