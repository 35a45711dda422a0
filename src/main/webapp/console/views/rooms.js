import { badge, code, h, since } from '../elements.js';
import { pagedView } from '../paged.js';
import { format } from '../router.js';
import { duration, kindWords, transitionWords } from '../words.js';

const DRIFT = ['any', 'leases_without_media', 'media_without_lease', 'suspect_pile_up', 'rejections'];

/** All rooms, searched by the server. */
export function roomsView(context) {
  return pagedView(context, {
    id: 'rooms',
    title: 'Rooms',
    what: 'rooms',
    fields: [
      { name: 'q', label: 'Search', placeholder: 'id, team, occurrence, label, session, event', maxlength: '200' },
      { name: 'state', label: 'State', options: [['', 'any'], ['open', 'open'], ['closing', 'closing'], ['closed', 'closed']] },
      { name: 'team', label: 'Team', maxlength: '100' },
      { name: 'drift', label: 'Drift', options: [['', 'any or none'], ...DRIFT.map((kind) => [kind, kind === 'any' ? 'any kind' : kindWords(kind)])] },
      { name: 'age', label: 'Older than', options: [['', 'any age'], ['15', '15 min'], ['60', '1 h'], ['720', '12 h'], ['1440', '1 day']] },
      { name: 'synthetic', label: 'Synthetic', options: [['', 'included'], ['false', 'left out'], ['true', 'only']] },
    ],
    keyOf: (room) => room.id,
    rowState: (room) => (room.drift?.length ? 'drifting' : room.state),
    columns: [
      {
        head: 'Room',
        cell: (room) => [
          h('a', { href: format('room', { id: room.id }) }, room.label || room.occurrence),
          h('span', { class: 'under' }, [room.team, room.label && room.occurrence].filter(Boolean).join(' · ')),
          h('span', { class: 'under' }, code(room.id)),
        ],
      },
      {
        head: 'State',
        cell: (room) => [
          badge(room.state),
          room.critical && badge('critical'),
          room.synthetic && badge('synthetic'),
          (room.drift ?? []).map((kind) => badge('drift', kindWords(kind))),
        ],
      },
      { head: 'Present', class: 'number', cell: (room) => String(room.present) },
      { head: 'Suspect', class: 'number', cell: (room) => (room.suspect ? h('strong', { class: 'warn' }, String(room.suspect)) : '0') },
      { head: 'Suspended', class: 'number', cell: (room) => String(room.suspended) },
      {
        head: 'Unheard for',
        class: 'number',
        cell: (room) => (room.oldestUnrenewedSeconds === undefined ? '–' : duration(room.oldestUnrenewedSeconds)),
      },
      { head: 'Last transition', cell: (room) => (room.lastEvent ? [transitionWords(room.lastEvent.type), h('span', { class: 'under' }, since(room.lastEvent.at))] : '–') },
      { head: 'Opened', cell: (room) => since(room.createdAt) },
    ],
    load: (query, options) => context.admin.rooms(query, options),
    empty: 'No room is like that.',
  });
}
