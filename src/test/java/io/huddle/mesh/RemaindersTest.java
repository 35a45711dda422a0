package io.huddle.mesh;

import static io.huddle.mesh.Cluster.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.mesh.Cluster.Node;
import io.huddle.mesh.FaultyRegistry.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemaindersTest {
    private final Cluster cluster = new Cluster();
    private final Node a = cluster.node("process-a");
    private final List<String> told = new ArrayList<>();

    private void removed(long number, String then) {
        a.remainders.connection(CLIENT, "x-1", number, true, () -> told.add(then));
    }

    /** A comparison found the record at the moment when the stream's own end could not remove it. */
    @Test
    void connection_thatIsToGoTwice_isFollowedByWhatFollowsEach() {
        a.connected("x-1", 1);
        cluster.faulty.order("unregister", Fault.LOST_REQUEST, Fault.LOST_REQUEST);
        removed(a.number, "first");
        removed(a.number, "second");
        assertThat(told).as("before it is proven").isEmpty();
        assertThat(a.remainders.size()).isEqualTo(1);

        a.remainders.again();
        a.remainders.again();

        assertThat(told).containsExactly("first", "second");
        assertThat(cluster.sight().record()).isNull();
        assertThat(a.remainders.size()).isZero();
    }

    /** What was left under a number that has ended says nothing of the record under the present one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connection_thatIsToGoUnderTwoNumbers_goesUnderTheLater(boolean isLaterFirst) {
        long before = a.number;
        a.join();
        a.connected("x-1", 1);
        a.loseLease();
        removed(isLaterFirst ? a.number : before, "first");
        removed(isLaterFirst ? before : a.number, "second");

        a.hasLease = true;
        a.remainders.again();

        assertThat(cluster.sight().record()).isNull();
        assertThat(told).containsExactly("first", "second");
    }
}
