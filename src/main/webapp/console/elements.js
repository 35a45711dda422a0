import { told } from './ticker.js';

/** Makes elements. Text is always text: nothing of the server is ever read as markup. */

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'g', 'path', 'line', 'text', 'circle', 'title', 'rect']);

/**
 * An element with attributes and children. `onclick` and the like are listeners; `true` is an empty attribute, `false`,
 * `null` and `undefined` are none; children may be nodes, texts, lists of them, or nothing.
 */
export function h(tag, attributes = {}, ...children) {
  const node = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** How long ago something was, kept up to date by the ticker. */
export function since(at) {
  return told(h('time', { datetime: at, title: at, 'data-since': at }));
}

/** How long a lease still runs, kept up to date by the ticker. */
export function until(at) {
  return told(h('time', { datetime: at, title: at, 'data-until': at }));
}

/** An id, in full, in letters of one width. */
export function code(id) {
  return id ? h('code', {}, id) : null;
}

export function badge(state, words = state) {
  return h('span', { class: 'badge', 'data-state': state }, words);
}

export function button(label, onclick, attributes = {}) {
  return h('button', { type: 'button', onclick, ...attributes }, label);
}
