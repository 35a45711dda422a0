import { text } from '../page/dom.js';
import { left, passed } from './words.js';

const TICK_MS = 500;
let timer = null;

/** Keeps every time on the page that says how long ago, or how long still, up to date by the server's clock. */
export function startTicking(clock) {
  clearInterval(timer);
  timer = setInterval(() => {
    if (!document.hidden) tick(document, clock.now());
  }, TICK_MS);
}

export function tick(root, now) {
  if (Number.isNaN(now)) return;
  for (const node of root.querySelectorAll('[data-since]')) text(node, passed(node.dataset.since, now));
  for (const node of root.querySelectorAll('[data-until]')) {
    text(node, left(node.dataset.until, now));
    const over = String(Date.parse(node.dataset.until) <= now);
    if (node.dataset.over !== over) node.dataset.over = over;
  }
}
