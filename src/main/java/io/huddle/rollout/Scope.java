package io.huddle.rollout;

import io.huddle.web.Refused;
import io.huddle.web.Text;
import org.jspecify.annotations.Nullable;

/**
 * What a stage is set for: the whole deployment, or one team, whose stage then goes before the deployment's. Pure.
 *
 * @param team null for the deployment
 */
public record Scope(@Nullable String team) {
    public static final Scope DEPLOYMENT = new Scope(null);

    private static final String DEPLOYMENT_TEXT = "deployment";
    private static final String TEAM_PREFIX = "team:";

    /**
     * The scope of this text: {@code deployment}, or {@code team:} and the team.
     *
     * @throws Refused {@code invalid-request} for anything else
     */
    public static Scope parse(String text) {
        if (text.equals(DEPLOYMENT_TEXT)) {
            return DEPLOYMENT;
        }
        if (text.startsWith(TEAM_PREFIX)) {
            return new Scope(Text.checked("the scope's team", text.substring(TEAM_PREFIX.length()), Text.ID_LENGTH));
        }
        throw Refused.invalid("the scope must be 'deployment' or 'team:' and a team");
    }

    /** As in a path and in the database. */
    public String text() {
        return team == null ? DEPLOYMENT_TEXT : TEAM_PREFIX + team;
    }
}
