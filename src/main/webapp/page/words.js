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

/** `lapsed`: the own lease has run out by the server's clock; `overdue`: it should have been renewed by now. */
export function sessionWords(session, { lapsed = false, overdue = false } = {}) {
  const { state, ending, refusal, membership, line, returned } = session;
  if (state === 'out') return 'You are watching. Join to be on the roster.';
  if (state === 'joining') return returned ? 'Rejoining…' : 'Joining…';
  if (lapsed && state === 'dropped') return `Silent: ${LAPSED}`;
  if (lapsed && state === 'suspended') return `Suspended: ${LAPSED}`;
  if (lapsed && state === 'in') return `Reconnecting… ${sentence(LAPSED)}`;
  if (state === 'suspended') return 'Suspended: you stay on the roster until your lease runs out.';
  if (state === 'dropped') return 'Silent: nothing of you reaches the server until you renew or rejoin.';
  if (state === 'in') {
    const renewal = overdue
      ? `not renewed since ${clockTime(membership.serverTime)}`
      : `renewing every ${membership.heartbeatSeconds} s`;
    const here = `Present as generation ${membership.generation}, ${renewal}.`;
    const away = 'You were away for longer than your lease, and the others saw you go. You are back.';
    return [returned && away, (line === 'down' || overdue) && 'Reconnecting…', here].filter(Boolean).join(' ');
  }
  if (ending === 'refused') return sentence(refusal.message);
  // Where the reason is not known, what the server said is the best there is.
  return ending === 'ended' && refusal ? `${ENDINGS.ended} ${sentence(refusal.message)}` : ENDINGS[ending];
}

const LAPSED = 'your lease has run out, and the others may not see you any more.';

const MICROPHONE = {
  off: 'Your microphone is off.',
  asking: 'Waiting for you to allow the microphone. You hear the others meanwhile.',
  denied: 'You are listening only: the browser was not allowed to use the microphone.',
  missing: 'You are listening only: there is no microphone.',
  busy: 'You are listening only: the microphone is in use elsewhere.',
  lost: 'You are listening only: the microphone was unplugged.',
  unsupported: 'You are listening only: browsers give a microphone to https pages only.',
};

/** What is true of the own voice. `audience` is what `Huddle.audience` tells. */
export function microphoneWords({ state, muted }, audience) {
  if (audience.state === 'suspended') return 'Suspended: nobody hears you, and your microphone is off.';
  if (audience.state === 'dropped') return 'Silent: nobody hears you, and your microphone is off.';
  if (state !== 'on') return MICROPHONE[state];
  return muted ? 'Muted: nobody hears you.' : heardWords(audience);
}

function heardWords({ state, reconnecting, others, connected, interrupted, suspended }) {
  if (state !== 'in') return 'Joining: the others may not hear you yet.';
  // Audio does not pass through the server and may go on without it, but whether it does is not known at once.
  if (reconnecting) return connected ? 'Reconnecting: the others may not hear you.' : 'Nobody hears you: reconnecting.';
  if (!others) return suspended ? 'Nobody hears you: the others are suspended.' : 'Nobody else is here yet.';
  if (!connected) return interrupted ? 'Nobody hears you: reconnecting audio…' : 'Connecting audio… Nobody hears you yet.';
  return connected < others ? `${connected} of ${others} others hear you.` : 'The others hear you.';
}

const QUALITY = { good: 'Good sound', fair: 'Fair sound', poor: 'Poor sound', none: 'No sound arrives' };

/** How the audio of another person is doing, in two words. */
export function audioWords({ audio, quality, stats, listensOnly = false }) {
  if (audio === 'connected') {
    if (listensOnly && (quality ?? 'none') === 'none') return 'Listening only';
    const trip = stats?.rttMs === null || stats?.rttMs === undefined ? '' : ` · ${stats.rttMs} ms`;
    return quality ? `${QUALITY[quality]}${trip}` : 'Audio connected';
  }
  if (audio === 'failed' || audio === 'disconnected') return 'Audio interrupted, reconnecting…';
  return audio === 'closed' || !audio ? 'No audio' : 'Connecting audio…';
}

/** Without any sign for so long, the server is not known to be there: readings come every two seconds. */
const SILENT_MS = 10_000;

/**
 * The connection's state as it may be shown: `live` only while the server is heard, the own stream is up or none, and
 * somebody's lease still runs. `silentMs` since the last sign of the server; `unconfirmed` entries whose lease has run out.
 */
export function shownStatus(status, { line = 'none', silentMs = 0, people = 0, unconfirmed = 0 }) {
  if (status.kind !== 'live') return status;
  if (silentMs > SILENT_MS) return { kind: 'silent' };
  if (line === 'down') return { kind: 'reconnecting' };
  return people === 0 && unconfirmed > 0 ? { kind: 'unconfirmed' } : status;
}

/** The connection's state; the seconds until the next try stand beside it and are not read out. */
export function statusWords({ kind, detail }) {
  const words = {
    connecting: 'Connecting…',
    live: 'Live',
    reconnecting: 'Reconnecting…',
    unavailable: 'Server says unavailable',
    silent: 'No news from the server',
    unconfirmed: 'Not confirmed',
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

export function rosterNote({ stage, people = null, unconfirmed, status }) {
  if (status.kind === 'silent') return 'This list cannot be confirmed: nothing has been heard from the server.';
  if (status.kind === 'unconfirmed') return 'This list cannot be confirmed: every known lease has run out.';
  if (stage === 'shadow' || stage === 'fencing') {
    return `This team is in stage “${stage}”: the roster shows who is connected, whatever the leases say.`;
  }
  const down = status.kind === 'reconnecting' || status.kind === 'unavailable';
  if (unconfirmed && down) {
    const count = unconfirmed === 1 ? 'One person' : `${unconfirmed} people`;
    return `${count} cannot be confirmed while the connection is down.`;
  }
  if (people === 0 && down) return 'Who is here cannot be confirmed while the connection is down.';
  return '';
}

export function ago(time, now) {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/**
 * What stands for somebody in a small disc: the initials of the first and the last part of the name, as people of one
 * role often differ in the last part only; of a name in one part its first two characters. Upper case.
 */
export function initials(name) {
  const parts = name.normalize('NFC').split(/[^\p{L}\p{N}\p{M}]+/u).filter(Boolean);
  const [first = [], ...others] = parts.map((part) => [...part]);
  const letters = others.length ? [first[0], others.at(-1)[0]] : first.slice(0, 2);
  return letters.join('').toUpperCase();
}

export function clockTime(at) {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
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
