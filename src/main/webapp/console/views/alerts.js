import { badge, code, h, since } from '../elements.js';
import { pagedView } from '../paged.js';
import { format } from '../router.js';
import { duration, kindWords, stamp, transitionWords } from '../words.js';
import { chartStrip } from './charts.js';

/** Where somebody who was paged begins: what is wrong, where, since when. */
export function alertsView(context) {
  const strip = chartStrip(context);
  const view = pagedView(context, {
    id: 'alerts',
    title: 'Alerts',
    lead: 'Rooms whose leases and media have disagreed for longer than a blink. An alert closes itself after two clean windows.',
    what: 'alerts',
    fields: [{ name: 'state', label: 'State', options: [['open', 'open'], ['closed', 'closed'], ['all', 'all']] }],
    defaults: { state: 'open' },
    keyOf: (alert) => alert.id,
    rowState: (alert) => (alert.closedAt ? 'closed' : alert.severity),
    columns: [
      { head: 'Severity', cell: (alert) => badge(alert.closedAt ? 'closed' : alert.severity) },
      { head: 'What drifts', cell: (alert) => kindWords(alert.kind) },
      {
        head: 'Room',
        cell: (alert) => [h('a', { href: format('room', { id: alert.room }) }, code(alert.room)), h('span', { class: 'under' }, alert.roomState)],
      },
      { head: 'Leases', class: 'number', cell: (alert) => String(alert.activeLeases) },
      { head: 'Suspects', class: 'number', cell: (alert) => String(alert.suspects) },
      {
        head: 'Unheard for',
        class: 'number',
        cell: (alert) => (alert.oldestUnrenewedLeaseSeconds === undefined ? '–' : duration(alert.oldestUnrenewedLeaseSeconds)),
      },
      {
        head: 'Last transition',
        cell: (alert) => (alert.lastTransition ? [transitionWords(alert.lastTransition), under(alert.lastTransitionAt)] : '–'),
      },
      {
        head: 'Opened',
        cell: (alert) => [
          since(alert.openedAt),
          alert.pagedAt && h('span', { class: 'under' }, 'paged ', since(alert.pagedAt)),
          alert.closedAt && h('span', { class: 'under' }, `closed ${stamp(alert.closedAt)}`),
        ],
      },
      { head: 'Version', cell: (alert) => code(alert.version) },
    ],
    load: ({ state, ...query }, options) => context.admin.alerts({ ...query, state: state === 'all' ? '' : state }, options),
    empty: 'No such alert.',
    everyMs: 5000,
  });
  view.element.append(strip.element);
  return {
    ...view,
    enter(place) {
      view.enter(place);
      strip.start();
    },
    exit() {
      view.exit();
      strip.stop();
    },
  };
}

function under(at) {
  return at && h('span', { class: 'under' }, since(at));
}
