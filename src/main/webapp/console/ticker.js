import { text } from '../page/dom.js';
import { left, passed } from './words.js';

const TICK_MS = 500;
let ticking = null;
let timer = null;

/** Keeps every time on the page that says how long ago, or how long still, up to date by the server's clock. */
export function startTicking(clock) {
  clearInterval(timer);
  ticking = clock;
  timer = setInterval(() => {
    if (!document.hidden) tick(document, clock.now());
  }, TICK_MS);
}

/** A time that is told at once, and not only from the next tick on. */
export function told(node) {
  tell(node, ticking?.now() ?? NaN);
  return node;
}

export function tick(root, now) {
  for (const node of root.querySelectorAll('[data-since], [data-until]')) tell(node, now);
}

function tell(node, now) {
  if (Number.isNaN(now)) return;
  const { since, until, over } = node.dataset;
  if (since) text(node, passed(since, now));
  if (until) {
    text(node, left(until, now));
    const past = String(Date.parse(until) <= now);
    if (over !== past) node.dataset.over = past;
  }
}
