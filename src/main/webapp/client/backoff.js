/** How long to wait before trying again. Pure: randomness and the present are arguments. */

const FIRST_MS = 500;
const CAP_MS = 15_000;

/**
 * Milliseconds to wait after this many failures in a row (0 for the first), between half and all of an
 * exponential step. A server's Retry-After is a floor, spread upwards so that not everybody is back at once.
 */
export function backoff(failures, random, floorMs = 0) {
  const step = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(failures, 16));
  const wait = step * (0.5 + random / 2);
  return Math.round(floorMs > wait ? floorMs * (1 + random / 4) : wait);
}

/** Milliseconds of a Retry-After header (seconds or a date), 0 where it is missing or unreadable. */
export function retryAfter(header, nowMs) {
  if (!header) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
