import { show, text } from '../page/dom.js';
import { h } from './elements.js';

/**
 * A table whose rows keep their nodes, and so the focus, while what they show changes. A column is `{ head, cell(item) }`,
 * with a `class` perhaps; a cell is whatever `h` takes as children.
 */
export function table({ label, columns, keyOf, rowState = () => null }) {
  const head = h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: column.class }, column.head))));
  const body = h('tbody');
  // What is wider than the window is moved sideways within it, by keyboard too.
  const element = h('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': label }, h('table', {}, head, body));
  const shown = new Map();

  function draw(items) {
    const held = body.contains(document.activeElement);
    const keys = new Set(items.map((item) => String(keyOf(item))));
    for (const [key, { row }] of shown) {
      if (!keys.has(key)) {
        row.remove();
        shown.delete(key);
      }
    }
    let place = body.firstElementChild;
    for (const item of items) {
      const row = rowOf(item);
      if (row === place) place = place.nextElementSibling;
      else body.insertBefore(row, place);
    }
    // A row that went, or a button that its row has lost, must not send who works by keyboard back to the top of the page.
    if (held && !body.contains(document.activeElement)) element.focus();
  }

  function rowOf(item) {
    const key = String(keyOf(item));
    const sign = JSON.stringify(item);
    const known = shown.get(key);
    if (known?.sign === sign) return known.row;
    const row = known?.row ?? h('tr', { 'data-key': key });
    const held = focusIn(row);
    row.replaceChildren(...columns.map((column, at) =>
      h(at === 0 ? 'th' : 'td', { scope: at === 0 ? 'row' : null, class: column.class }, column.cell(item))));
    const state = rowState(item);
    if (state) row.dataset.state = state;
    else delete row.dataset.state;
    if (held >= 0) row.querySelectorAll('a, button, select')[held]?.focus();
    shown.set(key, { sign, row });
    return row;
  }

  return { element, draw };
}

/** Which of the row's controls has the focus; -1 for none. */
function focusIn(row) {
  return row.contains(document.activeElement) ? [...row.querySelectorAll('a, button, select')].indexOf(document.activeElement) : -1;
}

/** The line below a list: how many, as of when, and the ways to the other pages. */
export function pager({ onFirst, onNext }) {
  const words = h('p', { class: 'muted' });
  const first = h('button', { type: 'button', onclick: onFirst }, 'Newest');
  const next = h('button', { type: 'button', onclick: onNext }, 'Older');
  const element = h('div', { class: 'pager' }, words, h('div', { class: 'buttons' }, first, next));
  return {
    element,
    draw({ count, cursor, more, empty }) {
      text(words, count ? `${count} shown${cursor ? ', further back' : ''}${more ? ', there are more' : ''}.` : empty);
      show(first, Boolean(cursor));
      show(next, more);
    },
  };
}

/** A form of filters. `fields` are `{ name, label, type?, options?, hint? }`; `onApply(values)` when one is chosen or sent. */
export function filters(id, fields, onApply) {
  const controls = new Map();
  const form = h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter' });
  for (const { name, label, options, ...attributes } of fields) {
    const control = options
      ? h('select', { id: `${id}-${name}`, name }, options.map(([value, words]) => h('option', { value }, words)))
      : h('input', { id: `${id}-${name}`, name, type: 'search', autocomplete: 'off', spellcheck: 'false', ...attributes });
    if (options) control.addEventListener('change', () => apply());
    controls.set(name, control);
    form.append(h('div', { class: 'field' }, h('label', { for: `${id}-${name}` }, label), control));
  }
  if (fields.some(({ options }) => !options)) form.append(h('button', { class: 'primary' }, 'Search'));
  const apply = () =>
    onApply(Object.fromEntries([...controls].map(([name, control]) => [name, control.value.trim()])));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    apply();
  });
  return {
    element: form,
    /** Shows the values of the address, except in the field that is being typed in. */
    set(values) {
      for (const [name, control] of controls) {
        if (document.activeElement !== control) control.value = values[name] ?? '';
      }
    },
  };
}
