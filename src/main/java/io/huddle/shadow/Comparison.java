package io.huddle.shadow;

import io.huddle.presence.MemberView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What differs between the two rosters of one room. Pure. */
final class Comparison {
    private Comparison() {}

    /** A session that is not absent. */
    record Member(String participant, MemberView view) {}

    /** One difference. */
    record Difference(MismatchKind kind, String participant) {}

    /**
     * All differences of a room at one moment.
     *
     * @param members all sessions of the room that are not absent
     * @param observed whom the older system shows, empty where none tells of the room
     * @param isFed whether an older system tells of the room
     */
    static List<Difference> of(List<Member> members, Set<String> observed, boolean isFed, Instant now) {
        List<Difference> found = new ArrayList<>();
        Set<String> unknown = new TreeSet<>(observed);
        for (Member member : members) {
            unknown.remove(member.participant());
            boolean shown = member.view().isConnected(isFed);
            if (shown != member.view().isLeased(now)) {
                MismatchKind kind = shown ? MismatchKind.SHOWN_WITHOUT_LEASE : MismatchKind.LEASED_NOT_SHOWN;
                found.add(new Difference(kind, member.participant()));
            }
        }
        for (String participant : unknown) {
            found.add(new Difference(MismatchKind.OBSERVED_WITHOUT_SESSION, participant));
        }
        return found;
    }
}
