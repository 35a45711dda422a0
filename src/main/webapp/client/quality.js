/** What a connection's statistics say of its quality. Pure. */

/** From the reports of `RTCPeerConnection.getStats()`: sums over the inbound audio, and the round trip in use. */
export function readStats(reports) {
  const read = { packetsReceived: 0, packetsLost: 0, jitterMs: 0, rttMs: null };
  const all = [...reports.values()];
  for (const each of all) {
    if (each.type !== 'inbound-rtp' || each.kind !== 'audio') continue;
    read.packetsReceived += each.packetsReceived ?? 0;
    // Duplicates make the count of lost packets negative.
    read.packetsLost += Math.max(0, each.packetsLost ?? 0);
    read.jitterMs = Math.max(read.jitterMs, (each.jitter ?? 0) * 1000);
  }
  const selected = new Set(all.map((each) => each.type === 'transport' && each.selectedCandidatePairId));
  const pairs = all.filter((each) => each.type === 'candidate-pair' && each.currentRoundTripTime !== undefined);
  const pair = pairs.find((each) => selected.has(each.id)) ?? pairs.find((each) => each.nominated);
  if (pair) read.rttMs = Math.round(pair.currentRoundTripTime * 1000);
  return read;
}

/** Between two readings: whether audio arrives, and which share of it was lost. */
export function since(before, after) {
  const received = after.packetsReceived - (before?.packetsReceived ?? 0);
  const lost = Math.max(0, after.packetsLost - (before?.packetsLost ?? 0));
  return { flowing: received > 0, loss: received + lost > 0 ? lost / (received + lost) : 0 };
}

/** `good`, `fair` or `poor` as people hear it, `none` where nothing arrives. */
export function qualityOf({ flowing, loss }, { rttMs, jitterMs }) {
  if (!flowing) return 'none';
  if (loss > 0.08 || (rttMs ?? 0) > 500 || jitterMs > 80) return 'poor';
  if (loss > 0.02 || (rttMs ?? 0) > 250 || jitterMs > 35) return 'fair';
  return 'good';
}

const BEST_FIRST = ['connected', 'connecting', 'new', 'disconnected', 'failed', 'closed'];

/** One state for all peers: the best of theirs, so that it is `failed` only where all failed. */
export function bestState(states) {
  return BEST_FIRST.find((state) => states.includes(state)) ?? 'new';
}
