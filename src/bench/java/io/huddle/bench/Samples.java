package io.huddle.bench;

import java.util.Arrays;
import java.util.Locale;

/** Latencies in nanoseconds, all kept, and how long it took to collect them. */
public final class Samples {
    private long[] nanos = new long[65_536];
    private int count;
    private double seconds;

    public void add(long latency) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = latency;
    }

    public void took(long elapsed) {
        seconds += elapsed / 1e9;
    }

    public void add(Samples more) {
        for (int i = 0; i < more.count; i++) {
            add(more.nanos[i]);
        }
        seconds += more.seconds;
    }

    public int count() {
        return count;
    }

    public double perSecond() {
        return count / seconds;
    }

    /** The members of a JSON object. */
    public String members() {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return String.format(
                Locale.ROOT,
                "\"count\":%d,\"perSecond\":%.0f,\"p50Ms\":%.2f,\"p99Ms\":%.2f,\"maxMs\":%.2f",
                count,
                perSecond(),
                at(sorted, 0.5),
                at(sorted, 0.99),
                at(sorted, 1));
    }

    /** A quantile in milliseconds. */
    public double ms(double quantile) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return at(sorted, quantile);
    }

    private static double at(long[] sorted, double quantile) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.min(sorted.length - 1, quantile * sorted.length)] / 1e6;
    }
}
