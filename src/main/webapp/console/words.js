/** What the console says, as pure functions. Times are instants of the server. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in one or two units, cut and never rounded up. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 2 * MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 2 * DAY) {
    const minutes = Math.floor((whole % HOUR) / MINUTE);
    return `${Math.floor(whole / HOUR)} h${minutes ? ` ${minutes} min` : ''}`;
  }
  return `${Math.floor(whole / DAY)} days`;
}

export function passed(at, now) {
  return `${duration((now - Date.parse(at)) / 1000)} ago`;
}

/** Of a lease: how long it still runs, or since when it does not. */
export function left(until, now) {
  const ms = Date.parse(until) - now;
  return ms > 0 ? `${duration(Math.ceil(ms / 1000))} left` : `ran out ${duration(-ms / 1000)} ago`;
}

/** A moment by the reader's own clock, to the second. */
export function stamp(at) {
  const time = new Date(at);
  const two = (number) => String(number).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

export function bytes(count) {
  if (count < 1024) return `${count} B`;
  return count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / 1024 / 1024).toFixed(1)} MiB`;
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

const KINDS = {
  leases_without_media: 'leases without media',
  media_without_lease: 'media without a lease',
  suspect_pile_up: 'suspects pile up',
  rejections: 'rejections cluster',
};

/** A kind of drift. */
export function kindWords(kind) {
  return KINDS[kind] ?? kind.replaceAll(/[_-]/g, ' ');
}

/** The last transition, in the word that tells it from the others. */
export function transitionWords(type) {
  return type.replace(/^participant\./, '').replace('.', ' ');
}

/** What a member's last report on its media says. */
export function mediaWords(media) {
  if (!media) return 'no report';
  const flow = media.flowing === undefined ? media.state : media.flowing ? 'flowing' : 'silent';
  const trip = media.rttMs === undefined ? '' : ` · ${media.rttMs} ms`;
  return `${flow}${trip}`;
}

/** Who says the latest of somebody's audio; without a source it is the member itself. */
export function witnessWords({ source }) {
  return source ? `seen by ${source}` : 'its own report';
}

/** What the latest evidence says of a member's audio; without any, what its report says of the connection. */
export function audioWords({ evidence, media }) {
  if (!evidence) return mediaWords(media);
  const trip = media?.rttMs === undefined ? '' : ` · ${media.rttMs} ms`;
  return `${evidence.says}${trip}`;
}

/** What a view says of an answer it did not get. */
export function failureWords(error, what) {
  if (error.status === 404 && error.code === 'not-found') {
    return `This server does not serve ${what}: the address answered 404.`;
  }
  if (error.status === 403) return 'Only operators may see this. Sign in as one.';
  return error.message;
}
