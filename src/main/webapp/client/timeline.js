/** The latest events of a room in order, each once: delivery is at least once, and readings overlap. */
export function addEvents(timeline, events, limit) {
  const known = new Set(timeline.map((event) => event.id));
  const fresh = events.filter((event) => !known.has(event.id) && known.add(event.id));
  if (!fresh.length) return timeline;
  return [...timeline, ...fresh].sort((a, b) => a.seq - b.seq).slice(-limit);
}
