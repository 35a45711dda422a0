package io.huddle.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.huddle.soak.DeliveryCheck.Rule;
import io.huddle.soak.DeliveryCheck.Verdict;
import io.huddle.soak.History.Activation;
import io.huddle.soak.History.Call;
import io.huddle.soak.History.Fence;
import io.huddle.soak.History.Run;
import io.huddle.soak.History.Write;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryCheckTest {
    private final List<Activation> connections = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();
    private final List<Fence> fences = new ArrayList<>();
    private final List<Write> writes = new ArrayList<>();

    @Test
    void takeover_withCallsOnEitherSide_isRight() {
        connections(1, 100, 2, 200, 3, 300);
        ok(11, 110, 120, 130, 1);
        ok(12, 210, 220, 230, 2);
        ok(13, 310, 320, 330, 3);

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 0, 0));
    }

    /** It was on its way when the client moved: it may end on either connection. */
    @Test
    void callAcrossATakeover_answeredByTheOldOne_isRight() {
        connections(1, 100, 2, 200);
        ok(11, 190, 195, 205, 1);
        ok(12, 210, 220, 230, 2);

        assertThat(verdict().violations()).isEmpty();
    }

    @Test
    void call_invokedAfterALaterActivationAndAnsweredByTheOldOne_isAViolation() {
        connections(1, 100, 2, 200);
        ok(11, 201, 202, 203, 1);

        assertThat(rules()).containsExactly(Rule.INVOKED_AFTER_ACTIVATION);
    }

    @Test
    void call_invokedAfterTheActivationOfOneFurtherOn_isAViolation() {
        connections(1, 100, 2, 200, 3, 300);
        ok(11, 301, 302, 303, 1);

        assertThat(rules()).containsExactly(Rule.INVOKED_AFTER_ACTIVATION);
    }

    @Test
    void call_invokedAtTheVeryInstantOfTheActivation_isRight() {
        connections(1, 100, 2, 200);
        ok(11, 200, 201, 202, 1);

        assertThat(rules()).isEmpty();
    }

    @Test
    void answeredCall_thatRanOnTheOldOneAfterAnOkOfTheNewOne_isAViolation() {
        connections(1, 100, 2, 200);
        ok(11, 190, 250, 260, 1);
        ok(12, 210, 220, 230, 2);

        assertThat(rules()).containsExactly(Rule.RAN_AFTER_LATER_OK);
    }

    /** The first ok of the new one counts, whichever of its calls was recorded first. */
    @Test
    void answeredCall_thatRanBetweenTwoOksOfTheNewOne_isAViolation() {
        connections(1, 100, 2, 200);
        ok(13, 260, 270, 280, 2);
        ok(12, 210, 220, 230, 2);
        ok(11, 190, 250, 260, 1);

        assertThat(rules()).containsExactly(Rule.RAN_AFTER_LATER_OK);
    }

    /** It ran on the old one and again on the new one, which answered: the effect came twice. */
    @Test
    void callThatRanTwice_secondTimeAnswered_isAViolationIfTheOldOneWasLate() {
        connections(1, 100, 2, 200);
        ok(12, 210, 220, 230, 2);
        ok(11, 190, 240, 245, 2);
        runs.add(new Run(11, 1, 250));

        assertThat(rules()).containsExactly(Rule.RAN_AFTER_LATER_OK);
    }

    @Test
    void neverAnsweredCall_thatRanOnTheOldOneLate_isCountedAndRight() {
        connections(1, 100, 2, 200);
        ok(12, 210, 220, 230, 2);
        calls.add(new Call(11, 190, 400, 0));
        runs.add(new Run(11, 1, 250));

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 1, 1));
    }

    @Test
    void neverAnsweredCall_thatRanInTime_isCountedAndNotLate() {
        connections(1, 100, 2, 200);
        calls.add(new Call(11, 110, 400, 0));
        runs.add(new Run(11, 1, 120));

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 1, 0));
    }

    /** A caller that was killed with its node leaves a run and no call. */
    @Test
    void run_ofACallThatNobodyRemembers_isCounted() {
        connections(1, 100);
        runs.add(new Run(99, 1, 120));

        assertThat(verdict().neverAnswered()).isEqualTo(1);
    }

    @Test
    void frame_writtenAfterTheFence_isAViolation() {
        connections(1, 100, 2, 200);
        fences.add(new Fence(1, 190));
        writes.add(new Write(1, 189));
        writes.add(new Write(2, 300));
        assertThat(rules()).isEmpty();

        writes.add(new Write(1, 191));

        assertThat(rules()).containsExactly(Rule.WRITTEN_AFTER_FENCE);
    }

    @Test
    void connection_activatedTwice_isNoHistory() {
        connections(1, 100, 1, 200);

        assertThatThrownBy(this::verdict).isInstanceOf(IllegalArgumentException.class);
    }

    private void connections(int... numbersAndTimes) {
        for (int i = 0; i < numbersAndTimes.length; i += 2) {
            connections.add(new Activation(numbersAndTimes[i], numbersAndTimes[i + 1]));
        }
    }

    private void ok(long id, long invoked, long ran, long answered, int through) {
        calls.add(new Call(id, invoked, answered, through));
        runs.add(new Run(id, through, ran));
    }

    private Verdict verdict() {
        return DeliveryCheck.check(new History("c", connections, calls, runs, fences, writes));
    }

    private List<Rule> rules() {
        return verdict().violations().stream()
                .map(DeliveryCheck.Violation::rule)
                .toList();
    }
}
