package io.huddle.web;

/** How the description of a gauge says that each node reads the same: a sum over the nodes would count everything again. */
public enum ClusterWide {
    DATABASE("the database"),
    REDIS("Redis");

    private final String source;

    ClusterWide(String source) {
        this.source = source;
    }

    /** @param what a sentence with its full stop */
    public String described(String what) {
        return what + " Gauge read from " + source
                + ": cluster-wide and the same on every node, so queries take max().";
    }
}
