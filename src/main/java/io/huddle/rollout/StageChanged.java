package io.huddle.rollout;

/**
 * A stage was changed. Fired inside the transaction of the change: what an observer writes comes into force with it.
 *
 * @param scope whose rooms it concerns; for the deployment those of the teams without a stage of their own
 * @param before the stage that applied to them
 * @param after the stage that applies from the commit on
 */
public record StageChanged(Scope scope, Stage before, Stage after) {}
