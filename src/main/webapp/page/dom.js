import { sentence } from './words.js';

/** The few things that every part of the page does to the document. */

export const byId = (id) => document.getElementById(id);

/** Writes only what changed: a screen reader may speak a region again for a write that changes nothing. */
export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

export function showError(node, error) {
  text(node, error ? sentence(error.message) : '');
  show(node, Boolean(error));
}

/** Switches a button off without taking the focus away from whoever just pressed it. */
export function enable(button, enabled) {
  button.setAttribute('aria-disabled', String(!enabled));
}

export function onPress(button, action) {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') action();
  });
}

/** Makes a list's children those of the items, in their order, keeping the node of a key, and so the focus. */
export function keyed(list, items, keyOf, template, fill) {
  const old = new Map([...list.children].map((node) => [node.dataset.key, node]));
  let place = list.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    const node = old.get(key) ?? template.content.firstElementChild.cloneNode(true);
    old.delete(key);
    node.dataset.key = key;
    fill(node, item);
    if (node === place) place = place.nextElementSibling;
    else list.insertBefore(node, place);
  }
  old.forEach((node) => node.remove());
}

let waiting = [];

/** Tells assistive technology what changed, several changes of a moment in one go. */
export function announce(sentence) {
  waiting.push(sentence);
  if (waiting.length > 1) return;
  setTimeout(() => {
    const told = waiting.length > 4 ? [...waiting.slice(0, 3), `and ${waiting.length - 3} more changes.`] : waiting;
    text(byId('announcer'), told.join(' '));
    waiting = [];
  }, 400);
}
