package io.huddle.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.registry.ClientRecord;
import io.huddle.registry.ClientRecord.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordTextTest {
    @Test
    void records_there_andBack_areTheSame() {
        ClientRecord participant = new ClientRecord(
                "s-1",
                Long.MAX_VALUE,
                "p",
                "c-1",
                State.ACTIVE,
                9_007_199_254_740_993L,
                "s-1",
                3,
                List.of("ward-7", "ward \"8\""),
                1_796_025_600_123L,
                "mark",
                12,
                "{ \"list\":[], \"big\":9007199254740991, \"f\":0.1234567890123456, \"ä\":\"\\u0000\\\\\" }");
        ClientRecord device =
                new ClientRecord("c-2", 2, "p", "c-2", State.PENDING, 1, null, 0, List.of(), 0, "m", 1, "{}");

        List<ClientRecord> back = RecordText.records(RecordText.of(List.of(participant, device)));

        assertThat(back).containsExactly(participant, device);
    }
}
