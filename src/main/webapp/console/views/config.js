import { show, showError, text } from '../../page/dom.js';
import { badge, code, h } from '../elements.js';
import { table } from '../listing.js';
import { Refresher } from '../refresher.js';
import { failureWords, plural } from '../words.js';

/** The settings in force on the node that answers. The server never sends a secret. */
export function configView(context) {
  let config = null;
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const facts = h('p', { class: 'lead' });
  const found = h('p', { class: 'muted', role: 'status' });
  const search = h('input', { id: 'config-q', type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => draw() });
  const only = h('input', { id: 'config-changed', type: 'checkbox', onchange: () => draw() });
  const form = h(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter', onsubmit: (event) => event.preventDefault() },
    h('div', { class: 'field' }, h('label', { for: 'config-q' }, 'Name contains'), search),
    h('label', { class: 'check' }, only, ' Only what is not the default'),
  );
  const list = table({
    label: 'Settings',
    keyOf: (setting) => setting.name,
    rowState: (setting) => (setting.changed ? 'changed' : null),
    columns: [
      { head: 'Setting', cell: (setting) => code(setting.name) },
      { head: 'In force', cell: (setting) => (setting.hidden ? badge('closed', 'set, hidden') : setting.value ? code(setting.value) : 'not set') },
      { head: 'Default', cell: (setting) => (setting.byDefault ? code(setting.byDefault) : 'none') },
    ],
  });
  const element = h(
    'section',
    { class: 'view stack', 'aria-labelledby': 'config-title' },
    h('h1', { id: 'config-title', tabindex: '-1' }, 'Configuration'),
    facts, form, error, found, list.element,
  );

  function draw() {
    if (!config) return;
    const wanted = search.value.trim().toLowerCase();
    const items = config.settings.filter((setting) => setting.name.includes(wanted) && (!only.checked || setting.changed));
    text(facts, `Of the node that answered. Database ${config.database}, tables of version ${config.schema}.`);
    text(found, `${plural(items.length, 'setting')} of ${config.settings.length}.`);
    list.draw(items);
  }

  async function read(signal) {
    try {
      config = await context.admin.config({}, { signal });
      showError(error, null);
      draw();
    } catch (failed) {
      if (!signal.aborted) showError(error, { message: failureWords(failed, 'its configuration') });
    }
    show(list.element, Boolean(config));
  }

  const refresher = new Refresher(read, { everyMs: 60_000 });
  return { element, title: 'Configuration', enter: () => refresher.now(), refresh() {}, exit: () => refresher.stop() };
}
