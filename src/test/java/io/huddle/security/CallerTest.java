package io.huddle.security;

import static io.huddle.security.Role.INTEGRATOR;
import static io.huddle.security.Role.OPERATOR;
import static io.huddle.security.Role.PARTICIPANT;
import static org.assertj.core.api.Assertions.assertThat;

import io.huddle.web.Refusal;
import io.huddle.web.Refusals;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every combination of roles: what a caller of team {@code icu} may do there, elsewhere, for itself and for others. */
class CallerTest {
    @ParameterizedTest
    @CsvSource({
        // participant, integrator, operator | sees icu, sees others | acts in icu | acts for another
        "false, false, false, false, false, false, false",
        "true,  false, false, true,  false, true,  false",
        "false, true,  false, true,  false, true,  true",
        "true,  true,  false, true,  false, true,  true",
        "false, false, true,  true,  true,  false, false",
        "true,  false, true,  true,  true,  true,  false",
        "false, true,  true,  true,  true,  true,  true",
        "true,  true,  true,  true,  true,  true,  true",
    })
    void roles_allCombinations_decideWhatIsSeenAndDone(
            boolean participant,
            boolean integrator,
            boolean operator,
            boolean seesOwn,
            boolean seesOther,
            boolean actsInOwn,
            boolean actsForAnother) {
        Caller caller = caller(participant, integrator, operator);

        assertThat(caller.sees("icu")).isEqualTo(seesOwn);
        assertThat(caller.sees("er")).isEqualTo(seesOther);
        assertThat(caller.sees("ICU")).isEqualTo(seesOther);
        assertThat(caller.actsIn("icu")).isEqualTo(actsInOwn);
        assertThat(caller.actsIn("er")).isFalse();
        assertThat(caller.actsFor("p-1")).isTrue();
        assertThat(caller.actsFor("p-2")).isEqualTo(actsForAnother);
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, false",
        "true, false, false",
        "false, true, false",
        "true, true, false",
        "false, false, true",
        "true, false, true",
        "false, true, true",
        "true, true, true"
    })
    void need_oneOfThem_isEnough(boolean participant, boolean integrator, boolean operator) {
        Caller caller = caller(participant, integrator, operator);
        assertNeed(caller, participant, PARTICIPANT);
        assertNeed(caller, integrator, INTEGRATOR);
        assertNeed(caller, operator, OPERATOR);
        assertNeed(caller, participant || integrator, PARTICIPANT, INTEGRATOR);
        assertNeed(caller, participant || integrator || operator, PARTICIPANT, INTEGRATOR, OPERATOR);
        assertNeed(caller, false);
    }

    private static void assertNeed(Caller caller, boolean allowed, Role... anyOf) {
        if (allowed) {
            caller.need(anyOf);
        } else {
            Refusals.assertRefused(Refusal.FORBIDDEN, () -> caller.need(anyOf), "one of the groups");
        }
    }

    private static Caller caller(boolean participant, boolean integrator, boolean operator) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        if (participant) {
            roles.add(PARTICIPANT);
        }
        if (integrator) {
            roles.add(INTEGRATOR);
        }
        if (operator) {
            roles.add(OPERATOR);
        }
        return new Caller("p-1", roles, Set.of("icu", "icu-night"), Instant.MAX);
    }
}
