/**
 * How far the rollout has come: the stage of the deployment and of teams, and what media servers and older systems observe.
 *
 * <p>Owns the tables of stages and observations. Promises that a change of stage is one transaction with its audit line and
 * with whatever those above do about it, and that it never touches a room. Must never judge a session: the stage is an
 * argument of the rules above.
 */
@org.jspecify.annotations.NullMarked
package io.huddle.rollout;
