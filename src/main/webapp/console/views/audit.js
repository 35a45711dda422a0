import { code, h } from '../elements.js';
import { pagedView } from '../paged.js';
import { format } from '../router.js';
import { stamp } from '../words.js';

/** What operators did, and why they said they did it. */
export function auditView(context) {
  return pagedView(context, {
    id: 'audit',
    title: 'Audit',
    what: 'the audit',
    fields: [
      { name: 'q', label: 'Search', placeholder: 'reason, or what it was about', maxlength: '200' },
      { name: 'actor', label: 'Who', maxlength: '100' },
      { name: 'action', label: 'Action', maxlength: '40', placeholder: 'room.close' },
      { name: 'room', label: 'Room', maxlength: '40' },
    ],
    keyOf: (line) => line.id,
    columns: [
      { head: 'When', cell: (line) => h('time', { datetime: line.at, title: line.at }, stamp(line.at)) },
      { head: 'Who', cell: (line) => line.actor },
      { head: 'Action', cell: (line) => line.action },
      { head: 'Reason', class: 'wide', cell: (line) => line.reason ?? '–' },
      { head: 'About', cell: (line) => about(line) },
    ],
    load: (query, options) => context.admin.audit(query, options),
    empty: 'No such line.',
  });
}

function about(line) {
  const parts = [
    line.room && h('a', { href: format('room', { id: line.room }) }, code(line.room)),
    line.session && h('span', { class: 'under' }, code(line.session), line.generation && ` generation ${line.generation}`),
    line.client && code(line.client),
    line.target && code(line.target),
  ].filter(Boolean);
  return parts.length ? parts : '–';
}
