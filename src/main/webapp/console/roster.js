/** What an event changes in a roster that is on screen, before the server is asked for the rest. Pure. */

/**
 * The members after the event, and whether the server knows more than the event tells: a new member's name and node, a
 * lease that changed.
 */
export function apply(members, event) {
  if (event.shadow || !event.session) return { members, incomplete: !event.shadow };
  const at = members.findIndex((member) => member.session === event.session);
  if (event.next === 'absent') {
    return { members: at < 0 ? members : members.filter((_, place) => place !== at), incomplete: false };
  }
  if (at < 0) return { members, incomplete: true };
  const before = members[at];
  // An event of an older generation may arrive late; it says nothing about who is there now.
  if (event.generation < before.generation) return { members, incomplete: false };
  const after = { ...before, state: event.next, generation: event.generation };
  if (event.next === 'suspect') after.suspectAt = event.at;
  else delete after.suspectAt;
  return { members: members.map((member, place) => (place === at ? after : member)), incomplete: true };
}

/** Events newest first, each once. */
export function merge(known, more) {
  const all = new Map([...known, ...more].map((event) => [event.seq, event]));
  return [...all.values()].sort((one, other) => other.seq - one.seq);
}

/** The same, with what the server has just told of the newest ones. A hole between the two is not shown: `known` is dropped. */
export function renew(known, newest) {
  const oldest = Math.min(...newest.map((event) => event.seq));
  const hole = known.length > 0 && newest.length > 0 && oldest > known[0].seq + 1;
  return { events: merge(hole ? [] : known, newest), hole };
}
