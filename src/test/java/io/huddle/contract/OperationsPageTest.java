package io.huddle.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is promised is documented; that it is served is told by {@link MetricsIT}. */
class OperationsPageTest {
    @Test
    void promisedMetrics_each_haveTheirRow() {
        var rows = OperationsPage.metrics();
        PromisedMetrics.ALL.forEach(promise -> {
            assertThat(rows).containsKey(promise.name());
            OperationsPage.Row row = java.util.Objects.requireNonNull(rows.get(promise.name()));
            assertThat(row.bareKind()).as(promise.name()).isEqualTo(promise.kind());
            assertThat(row.isCluster()).as(promise.name()).isEqualTo(promise.cluster());
            assertThat(row.labels()).as(promise.name()).isEqualTo(promise.labels());
            assertThat(row.isLater())
                    .as("%s is there from the start", promise.name())
                    .isFalse();
        });
    }

    @Test
    void rows_each_sayOneKindAndAUnit() {
        assertThat(OperationsPage.metrics().values()).isNotEmpty().allSatisfy(row -> {
            assertThat(row.kind()).matches("(counter|histogram|gauge)(, (cluster|later))?");
            assertThat(row.unit()).matches("[a-z]+");
            assertThat(row.meaning()).isNotEmpty();
        });
    }

    @Test
    void names_ofCounters_endInTotal_andOfHistogramsInSeconds() {
        OperationsPage.metrics().forEach((name, row) -> {
            assertThat(name.endsWith("_total"))
                    .as(name)
                    .isEqualTo(row.bareKind().equals("counter"));
            if (row.bareKind().equals("histogram")) {
                assertThat(name).endsWith("_" + row.unit());
            }
        });
    }
}
