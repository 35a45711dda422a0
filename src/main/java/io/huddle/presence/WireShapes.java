package io.huddle.presence;

import io.huddle.web.JsonShapes;
import io.huddle.wire.DEventsRequest;
import io.huddle.wire.RoomEvent;
import io.huddle.wire.Roster;
import io.huddle.wire.RosterEntry;

/** What REST answers as JSON, as messages of the stream: the same fields under the same names. Pure. */
final class WireShapes {
    private static final long MOST = 0xFFFF_FFFFL;

    private WireShapes() {}

    static DEventsRequest events(String room, EventReader.Portion portion) {
        DEventsRequest.Builder request = DEventsRequest.newBuilder().setRoom(room);
        RosterJson snapshot = portion.snapshot();
        if (snapshot != null) {
            request.setSnapshot(roster(snapshot));
        }
        portion.events().forEach(event -> request.addEvents(event(event)));
        return request.build();
    }

    static Roster roster(RosterJson roster) {
        Roster.Builder wire = Roster.newBuilder()
                .setRoom(roster.room())
                .setSeq(uint32(roster.seq()))
                .setAsOf(JsonShapes.time(roster.asOf()))
                .setStage(roster.stage());
        roster.entries().forEach(entry -> wire.addEntries(entry(entry)));
        return wire.build();
    }

    private static RosterEntry entry(SessionJson entry) {
        RosterEntry.Builder wire = RosterEntry.newBuilder()
                .setSession(entry.session())
                .setParticipant(entry.participant())
                .setGeneration(uint32(entry.generation()))
                .setState(entry.state())
                .setJoinedAt(JsonShapes.time(entry.joinedAt()))
                .setLeaseUntil(JsonShapes.time(entry.leaseUntil()));
        if (entry.suspectAt() != null) {
            wire.setSuspectAt(JsonShapes.time(entry.suspectAt()));
        }
        return wire.build();
    }

    static RoomEvent event(io.huddle.event.RoomEvent event) {
        RoomEvent.Builder wire = RoomEvent.newBuilder()
                .setId(event.id())
                .setRoom(event.room())
                .setSeq(uint32(event.seq()))
                .setType(event.type())
                .setNext(event.next())
                .setAt(JsonShapes.time(event.at()));
        if (event.session() != null) {
            wire.setSession(event.session());
        }
        if (event.participant() != null) {
            wire.setParticipant(event.participant());
        }
        if (event.generation() != null) {
            wire.setGeneration(uint32(event.generation()));
        }
        if (event.prior() != null) {
            wire.setPrior(event.prior());
        }
        if (event.reason() != null) {
            wire.setReason(event.reason());
        }
        if (event.shadow() != null) {
            wire.setShadow(event.shadow());
        }
        return wire.build();
    }

    /** The unsigned number in the form that the messages hold. */
    static int uint32(long number) {
        if (number < 0 || number > MOST) {
            throw new IllegalStateException(number + " does not fit into 32 bits");
        }
        return (int) number;
    }
}
