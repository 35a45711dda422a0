import { show, showError } from '../page/dom.js';
import { h } from './elements.js';
import { filters, pager, table } from './listing.js';
import { format } from './router.js';
import { Refresher } from './refresher.js';
import { failureWords } from './words.js';

/**
 * A view that is one list: found, filtered and paged by the server, read again when something has happened.
 *
 * `spec`: `id` of the view, `title`, `lead`, `what` it shows in words, `fields` of its filters, `defaults` of them, `columns`,
 * `keyOf`, `load(query, options)`, `empty` for when there is nothing, `extra` nodes above the list, `every` in ms for lists
 * that change without an event.
 */
export function pagedView(context, spec) {
  let params = {};
  let next = null;
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const list = table({ label: spec.title, columns: spec.columns, keyOf: spec.keyOf, rowState: spec.rowState });
  const to = (changed) => {
    location.hash = format(spec.id, { params: changed });
  };
  const form = spec.fields && filters(spec.id, spec.fields, (values) => to(values));
  const turn = (cursor) => {
    to({ ...params, cursor });
    list.element.focus();
  };
  const pages = pager({ onFirst: () => turn(''), onNext: () => turn(next) });
  const body = h('div', { class: 'stack' }, list.element, pages.element);
  const element = h(
    'section',
    { class: 'view stack', 'aria-labelledby': `${spec.id}-title` },
    h('h1', { id: `${spec.id}-title`, tabindex: '-1' }, spec.title),
    spec.lead && h('p', { class: 'lead' }, spec.lead),
    spec.extra,
    form?.element,
    error,
    body,
  );

  async function read(signal) {
    const asked = params;
    try {
      const page = await spec.load({ ...spec.defaults, ...asked }, { signal });
      if (signal.aborted || asked !== params) return;
      next = page.next ?? null;
      show(body, true);
      list.draw(page.items);
      pages.draw({ count: page.items.length, cursor: params.cursor, more: Boolean(next), empty: spec.empty });
      showError(error, null);
    } catch (failed) {
      if (signal.aborted || asked !== params) return;
      showError(error, { message: failureWords(failed, spec.what) });
      if (failed.status) show(body, false);
    }
  }

  const refresher = new Refresher(read, { everyMs: spec.everyMs ?? 10_000 });
  return {
    element,
    title: spec.title,
    enter(place) {
      params = place.params;
      form?.set({ ...spec.defaults, ...params });
      refresher.now();
    },
    refresh: () => refresher.soon(),
    exit: () => refresher.stop(),
  };
}
