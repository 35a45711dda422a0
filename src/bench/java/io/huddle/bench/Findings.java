package io.huddle.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was measured, each figure beside its target: a table while it grows, one line of JSON at the end. */
final class Findings {
    private final List<String> json = new ArrayList<>();

    Findings() {
        line("what", "measured", "target", "");
    }

    /** A figure that is to be at least, or at most, so much. */
    void atLeast(String what, String unit, double measured, double target) {
        add(what, unit, measured, "at least ", target, measured >= target);
    }

    void atMost(String what, String unit, double measured, double target) {
        add(what, unit, measured, "at most ", target, measured <= target);
    }

    /** A figure without a target of its own: it explains another. */
    void tell(String what, String unit, double measured) {
        line(what, number(measured) + " " + unit, "", "");
        remember(what, unit, measured, "");
    }

    void note(String text) {
        System.out.println(text);
    }

    /** Throughput and latencies of one load. */
    void load(String what, Samples samples, long refused) {
        line(
                what,
                String.format(
                        Locale.ROOT,
                        "%,.0f/s p50 %.2f p99 %.2f max %.1f ms",
                        samples.perSecond(),
                        samples.ms(0.5),
                        samples.ms(0.99),
                        samples.ms(1)),
                "",
                refused == 0 ? "" : refused + " refused");
        json.add("{\"what\":\"" + what + "\"," + samples.members() + ",\"refused\":" + refused + "}");
    }

    String json() {
        return "[" + String.join(",", json) + "]";
    }

    private void add(String what, String unit, double measured, String bound, double target, boolean isMet) {
        line(what, number(measured) + " " + unit, bound + number(target), isMet ? "met" : "MISSED");
        remember(what, unit, measured, ",\"target\":" + plain(target) + ",\"met\":" + isMet);
    }

    private void remember(String what, String unit, double measured, String more) {
        json.add("{\"what\":\"" + what + "\",\"unit\":\"" + unit + "\",\"measured\":" + plain(measured) + more + "}");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 && value != Math.rint(value) ? "%.2f" : "%,.0f", value);
    }

    private static String plain(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static void line(String what, String measured, String target, String verdict) {
        System.out.println(String.format(Locale.ROOT, "%-66s | %-42s | %-15s | %s", what, measured, target, verdict));
        System.out.flush();
    }
}
