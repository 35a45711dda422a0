/** What the page says, as pure functions. */

const EVENTS = {
  'room.opened': 'The room was opened',
  'room.closing': 'The room is closing',
  'room.closed': 'The room was closed',
  'participant.joined': 'joined',
  'participant.reconnected': 'reconnected',
  'participant.suspected': 'fell silent',
  'participant.recovered': 'is back',
  'participant.suspended': 'is suspended',
  'participant.left': 'left',
  'participant.expired': 'is out: the lease ran out',
  'participant.removed': 'was removed',
};

const ENDINGS = {
  left: 'You left.',
  'left-elsewhere': 'You left, from another tab or device.',
  elsewhere: 'Joined elsewhere: another tab or device of yours took over.',
  expired: 'Your lease ran out before you were heard from again, so you are out of the room. You can rejoin.',
  operator: 'You were removed by an operator. You can rejoin.',
  disconnected: 'An operator disconnected you. You can rejoin.',
  'room-closed': 'The room was closed.',
  ended: 'Your session was ended.',
};

export function eventWords(event, nameOf) {
  const known = EVENTS[event.type] ?? event.type;
  const said = event.participant ? `${nameOf(event.participant)} ${known}` : known;
  return event.shadow ? `${said} (computed only)` : said;
}

/** The small print of an event: its reason, its generation and its number. */
export function eventDetail(event) {
  return [
    event.reason && plain(event.reason),
    event.generation && `generation ${event.generation}`,
    `#${event.seq}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

export function sessionWords({ state, ending, refusal, membership, line, returned }) {
  if (state === 'out') return 'You are watching. Join to be on the roster.';
  if (state === 'joining') return returned ? 'Rejoining…' : 'Joining…';
  if (state === 'suspended') return 'Suspended: you stay on the roster until your lease runs out.';
  if (state === 'dropped') return 'Silent: nothing of you reaches the server until you renew or rejoin.';
  if (state === 'in') {
    const here = `Present as generation ${membership.generation}, renewing every ${membership.heartbeatSeconds} s.`;
    const away = 'You were away for longer than your lease, and the others saw you go. You are back.';
    return [returned && away, line === 'down' && 'Reconnecting…', here].filter(Boolean).join(' ');
  }
  if (ending === 'refused') return sentence(refusal.message);
  // Where the reason is not known, what the server said is the best there is.
  return ending === 'ended' && refusal ? `${ENDINGS.ended} ${sentence(refusal.message)}` : ENDINGS[ending];
}

const MICROPHONE = {
  off: 'Your microphone is off.',
  asking: 'Waiting for you to allow the microphone. You hear the others meanwhile.',
  denied: 'You are listening only: the browser was not allowed to use the microphone.',
  missing: 'You are listening only: there is no microphone.',
  busy: 'You are listening only: the microphone is in use elsewhere.',
  lost: 'You are listening only: the microphone was unplugged.',
  unsupported: 'You are listening only: browsers give a microphone to https pages only.',
};

export function microphoneWords({ state, muted }) {
  if (state === 'on') return muted ? 'Muted: nobody hears you.' : 'The others hear you.';
  return MICROPHONE[state];
}

const QUALITY = { good: 'Good sound', fair: 'Fair sound', poor: 'Poor sound', none: 'No sound arrives' };

/** How the audio of another person is doing, in two words. */
export function audioWords({ audio, quality, stats }) {
  if (audio === 'connected') {
    const trip = stats?.rttMs === null || stats?.rttMs === undefined ? '' : ` · ${stats.rttMs} ms`;
    return quality ? `${QUALITY[quality]}${trip}` : 'Audio connected';
  }
  if (audio === 'failed' || audio === 'disconnected') return 'Audio interrupted, reconnecting…';
  return audio === 'closed' || !audio ? 'No audio' : 'Connecting audio…';
}

/** The connection's state; the seconds until the next try stand beside it and are not read out. */
export function statusWords({ kind, detail }) {
  const words = {
    connecting: 'Connecting…',
    live: 'Live',
    reconnecting: 'Reconnecting…',
    unavailable: 'Server says unavailable',
    paused: 'Paused while hidden',
    closed: 'Room closed',
    refused: detail,
  };
  return words[kind];
}

export function again(retryAt, now) {
  const seconds = Math.ceil((retryAt - now) / 1000);
  return seconds > 0 ? `trying again in ${seconds} s` : 'trying again now';
}

export function troubleWords(trouble, now) {
  const who = trouble.refused ? 'Server says unavailable' : 'No answer';
  return `${who}. ${sentence(trouble.detail)} ${sentence(again(trouble.retryAt, now))}`;
}

export function rosterNote({ stage, unconfirmed, status }) {
  if (stage === 'shadow' || stage === 'fencing') {
    return `This team is in stage “${stage}”: the roster shows who is connected, whatever the leases say.`;
  }
  if (unconfirmed && (status.kind === 'reconnecting' || status.kind === 'unavailable')) {
    const people = unconfirmed === 1 ? 'One person' : `${unconfirmed} people`;
    return `${people} cannot be confirmed while the connection is down.`;
  }
  return '';
}

export function ago(time, now) {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

export function plain(slug) {
  return slug.replaceAll('-', ' ');
}

/** A detail as a sentence, however the server spells it. */
export function sentence(words) {
  const text = words.trim();
  if (!text) return '';
  return text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? '' : '.');
}
