import { announce, text } from '../../page/dom.js';
import { badge, button, code, h } from '../elements.js';
import { pagedView } from '../paged.js';
import { askReason } from '../reason.js';
import { bytes, duration } from '../words.js';

/** What dead nodes left behind and nobody has told of yet. */
export function orphansView(context) {
  const facts = h('dl', { class: 'figures inner', 'aria-label': 'The whole queue' });
  const view = pagedView(context, {
    id: 'orphans',
    title: 'Orphan queue',
    lead: 'Clients of dead nodes, in chunks, until a healthy node has told of them. That takes a second or two; a chunk that was set aside waits for you.',
    what: 'the orphan queue',
    extra: facts,
    keyOf: (chunk) => chunk.id,
    rowState: (chunk) => (chunk.setAside ? 'suspect' : 'present'),
    columns: [
      { head: 'Chunk', cell: (chunk) => code(chunk.id) },
      { head: 'Dead node', cell: (chunk) => code(String(chunk.node)) },
      { head: 'Clients', class: 'number', cell: (chunk) => String(chunk.clients) },
      { head: 'Size', class: 'number', cell: (chunk) => bytes(chunk.bytes) },
      { head: 'Age', class: 'number', cell: (chunk) => duration(chunk.ageSeconds) },
      { head: 'Tries', class: 'number', cell: (chunk) => String(chunk.tries) },
      { head: 'State', cell: (chunk) => (chunk.setAside ? badge('suspect', 'set aside') : badge('open', 'waits')) },
      {
        head: 'Action',
        cell: (chunk) =>
          chunk.setAside ? button('Retry…', () => retry(chunk), { class: 'small', 'aria-label': `Retry chunk ${chunk.id}…` }) : '–',
      },
    ],
    async load(query, options) {
      const all = await context.admin.orphans(query, options);
      draw(all);
      return { items: all.chunks };
    },
    empty: 'Nothing waits.',
    everyMs: 3000,
  });

  function draw(all) {
    const shown = [
      ['Items', String(all.items)],
      ['Size', bytes(all.bytes)],
      ['Oldest', all.items ? duration(all.oldestSeconds) : '–'],
      ['Set aside', String(all.setAside)],
      ['Redeliveries', String(all.redeliveries)],
    ];
    if (!facts.childElementCount) facts.append(...shown.map(([label]) => h('div', {}, h('dt', {}, label), h('dd', {}))));
    shown.forEach(([, value], at) => text(facts.children[at].querySelector('dd'), value));
    facts.children[3].dataset.look = all.setAside ? 'warn' : '';
  }

  async function retry(chunk) {
    const done = await askReason({
      title: 'Try this chunk again?',
      explanation: `Chunk ${chunk.id} has ${chunk.clients} clients of the dead node ${chunk.node}. It gets its ten tries back and is delivered at once.`,
      confirm: 'Try again',
      act: (reason) => context.admin.retryOrphan(chunk.id, reason),
    });
    if (!done) return;
    announce('The chunk is tried again.');
    view.refresh();
  }
  return view;
}
