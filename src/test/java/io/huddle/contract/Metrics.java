package io.huddle.contract;

import io.huddle.harness.Api;
import io.huddle.harness.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One scrape of a node's metrics in the Prometheus text format: each sample's name, labels and value.
 *
 * @param types by name
 * @param help what each says of itself, by name
 */
record Metrics(List<Sample> samples, Map<String, String> types, Map<String, String> help) {
    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private static final Pattern COMMENT = Pattern.compile("# (TYPE|HELP) ([a-zA-Z_:][\\w:]*) (.*)");

    record Sample(String name, Map<String, String> labels, double value) {}

    static Metrics of(Site site) {
        return of(site.node());
    }

    static Metrics of(Node node) {
        String text = Api.anonymous(node)
                .with("Accept", "text/plain")
                .atRoot()
                .get("/metrics")
                .assertStatus(200)
                .text();
        List<Sample> samples = text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(Metrics::sample)
                .toList();
        return new Metrics(samples, comments(text, "TYPE"), comments(text, "HELP"));
    }

    private static Map<String, String> comments(String text, String kind) {
        Map<String, String> comments = new TreeMap<>();
        text.lines()
                .map(COMMENT::matcher)
                .filter(line -> line.matches() && line.group(1).equals(kind))
                .forEach(line -> comments.put(line.group(2), line.group(3)));
        return comments;
    }

    /** All samples of this name. */
    List<Sample> named(String name) {
        return samples.stream().filter(sample -> sample.name().equals(name)).toList();
    }

    private static Sample sample(Matcher line) {
        Map<String, String> labels = new TreeMap<>();
        String text = line.group(2);
        if (text != null) {
            LABEL.matcher(text).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return new Sample(line.group(1), labels, Double.parseDouble(line.group(3)));
    }

    /** The sample with this name and at least these labels; 0 where there is none, as for a counter never touched. */
    double value(String name, String... labels) {
        Map<String, String> wanted = new LinkedHashMap<>();
        for (int i = 0; i < labels.length; i += 2) {
            wanted.put(labels[i], labels[i + 1]);
        }
        return samples.stream()
                .filter(sample ->
                        sample.name().equals(name) && sample.labels().entrySet().containsAll(wanted.entrySet()))
                .mapToDouble(Sample::value)
                .sum();
    }

    /** Commands of another generation that were refused, of one kind. */
    double stale(String operation) {
        return value("huddle_stale_generation_rejections_total", "operation", operation);
    }
}
