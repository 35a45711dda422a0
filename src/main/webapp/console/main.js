import { announce, byId, show, text } from '../page/dom.js';
import { h } from './elements.js';
import { figures } from './figures.js';
import { Live } from './live.js';
import { parse } from './router.js';
import { signInView } from './signin.js';
import { startTicking } from './ticker.js';
import { alertsView } from './views/alerts.js';
import { auditView } from './views/audit.js';
import { chartsView } from './views/charts.js';
import { configView } from './views/config.js';
import { nodesView } from './views/nodes.js';
import { orphansView } from './views/orphans.js';
import { rolloutView } from './views/rollout.js';
import { roomView } from './views/room.js';
import { roomsView } from './views/rooms.js';
import { sessionsView } from './views/sessions.js';

/** The order in which somebody who was paged needs them. */
const VIEWS = {
  // Only these: an address must not find what every object has.
  __proto__: null,
  alerts: { label: 'Alerts', make: alertsView },
  rooms: { label: 'Rooms', make: roomsView },
  room: { make: roomView, under: 'rooms' },
  sessions: { label: 'Sessions', make: sessionsView },
  nodes: { label: 'Nodes', make: nodesView },
  orphans: { label: 'Orphan queue', make: orphansView },
  rollout: { label: 'Shadow & stages', make: rolloutView },
  audit: { label: 'Audit', make: auditView },
  config: { label: 'Configuration', make: configView },
  charts: { label: 'Last hour', make: chartsView },
};

let user = null;
let live = null;
let current = null;
const signIn = signInView(signedIn);

function signedIn(found) {
  user = found;
  startTicking(user.admin.clock);
  live = new Live(user.admin, { onFigures: drawFigures, onChange: () => current?.refresh(), onStatus: drawStatus });
  live.start();
  route();
}

/** Shows the view that the address and the sign-in call for. */
function route({ focus = true } = {}) {
  const asked = parse(location.hash);
  const place = user ? (VIEWS[asked.view] ?? VIEWS.alerts) : null;
  // Another page or filter of the same list is no other place: the focus stays where the reader works.
  const moved = !current || current.place !== place || current.id !== asked.id;
  if (!current || current.place !== place) {
    current?.exit();
    current = place ? place.make({ ...user, titled }) : signIn;
    current.place = place;
    byId('view').replaceChildren(current.element);
  }
  for (const id of ['nav', 'who', 'status', 'figures']) show(byId(id), Boolean(user));
  byId('frame').dataset.signedIn = String(Boolean(user));
  text(byId('who-subject'), user?.subject ?? '');
  drawNav(place?.under ?? (VIEWS[asked.view] ? asked.view : 'alerts'));
  titled(current.title);
  current.enter(asked);
  current.id = asked.id;
  if (focus && moved) current.element.querySelector('h1').focus();
}

function drawNav(view) {
  if (!byId('nav-list').childElementCount) {
    const items = Object.entries(VIEWS).filter(([, { label }]) => label);
    const item = ([id, { label }]) =>
      h('li', {}, h('a', { href: `#/${id}`, id: `nav-${id}` }, label, ' ', h('span', { class: 'count', hidden: true })));
    byId('nav-list').append(...items.map(item));
  }
  for (const link of byId('nav-list').querySelectorAll('a')) {
    if (link.id === `nav-${view}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function drawFigures(overview) {
  figures(byId('figures'), overview);
  const count = byId('nav-alerts')?.querySelector('.count');
  if (!count) return;
  const { investigate = 0, page = 0 } = overview.alerts ?? {};
  show(count, investigate + page > 0);
  text(count, String(investigate + page));
  count.dataset.severity = page ? 'page' : 'investigate';
}

function drawStatus({ kind, words }) {
  if (byId('status').dataset.kind !== kind && kind === 'down') announce(words);
  byId('status').dataset.kind = kind;
  text(byId('status-text'), words);
}

function titled(title) {
  document.title = title ? `${title} · Huddle console` : 'Huddle console';
}

byId('sign-out').addEventListener('click', () => {
  live.stop();
  user?.signOut?.();
  user = null;
  history.replaceState(null, '', '#/alerts');
  route();
});
document.querySelector('.skip').addEventListener('click', (event) => {
  // The address names the view, and stays.
  event.preventDefault();
  byId('main').focus();
});
window.addEventListener('hashchange', () => route());
route({ focus: false });
