import { badge, button, code, h, since, until } from '../elements.js';
import { pagedView } from '../paged.js';
import { format } from '../router.js';
import { removal } from './removal.js';

/** Sessions of all rooms, by state. */
export function sessionsView(context) {
  const view = pagedView(context, {
    id: 'sessions',
    title: 'Sessions',
    what: 'sessions',
    fields: [
      { name: 'q', label: 'Search', placeholder: 'participant, session, room, team', maxlength: '200' },
      {
        name: 'state',
        label: 'State',
        options: [['', 'all but absent'], ['present', 'present'], ['suspect', 'suspect'], ['suspended', 'suspended'], ['absent', 'absent']],
      },
    ],
    keyOf: (session) => session.session,
    rowState: (session) => session.state,
    columns: [
      {
        head: 'Participant',
        cell: (session) => [session.participant, h('span', { class: 'under' }, code(session.session))],
      },
      {
        head: 'Room',
        cell: (session) => [
          h('a', { href: format('room', { id: session.room }) }, session.label || session.occurrence),
          h('span', { class: 'under' }, `${session.team} · ${session.roomState}`),
        ],
      },
      { head: 'State', cell: (session) => [badge(session.state), session.ending && h('span', { class: 'under' }, session.ending)] },
      { head: 'Generation', class: 'number', cell: (session) => String(session.generation) },
      { head: 'Lease', cell: (session) => (session.state === 'absent' ? ['ended ', since(session.leaseUntil)] : until(session.leaseUntil)) },
      { head: 'Last heard', cell: (session) => since(session.provenAt) },
      { head: 'Joined', cell: (session) => since(session.joinedAt) },
      {
        head: 'Action',
        cell: (session) =>
          session.state === 'absent' || session.roomState !== 'open'
            ? '–'
            : button('Remove…', () => remove(session), { class: 'danger small', 'aria-label': `Remove ${session.participant}…` }),
      },
    ],
    load: (query, options) => context.admin.sessions(query, options),
    empty: 'No session is like that.',
    everyMs: 5000,
  });

  async function remove(session) {
    if (await removal(context.admin, session)) view.refresh();
  }
  return view;
}
