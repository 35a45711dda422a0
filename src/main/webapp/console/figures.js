import { text } from '../page/dom.js';
import { h } from './elements.js';
import { duration } from './words.js';

/** A sweep is due four times a second: after so long without one nobody expires. */
const SWEEP_LATE_SECONDS = 2;

/** The few figures above every view: label, value, and whether somebody should look. Pure. */
export function figuresOf(overview) {
  const { rooms, sessions, alerts, driftingRooms, oldestUnrenewedSeconds, asOf, sweptAt } = overview;
  const lag = Math.max(0, (Date.parse(asOf) - Date.parse(sweptAt)) / 1000);
  const late = lag > SWEEP_LATE_SECONDS;
  const open = alerts ? alerts.investigate + alerts.page : null;
  return [
    alerts && { id: 'alerts', label: 'Open alerts', value: String(open), look: alerts.page ? 'bad' : open ? 'warn' : '' },
    driftingRooms !== undefined && {
      id: 'drift', label: 'Drifting rooms', value: String(driftingRooms), look: driftingRooms ? 'warn' : '',
    },
    { id: 'open', label: 'Open rooms', value: String(rooms.open), look: '' },
    { id: 'present', label: 'Present', value: String(sessions.present), look: '' },
    { id: 'suspect', label: 'Suspect', value: String(sessions.suspect), look: sessions.suspect ? 'warn' : '' },
    { id: 'suspended', label: 'Suspended', value: String(sessions.suspended), look: '' },
    {
      id: 'oldest', label: 'Unheard for', look: '',
      value: oldestUnrenewedSeconds === undefined ? '–' : duration(oldestUnrenewedSeconds),
    },
    { id: 'sweep', label: 'Last sweep', value: late ? `${duration(lag)} ago` : 'now', look: late ? 'bad' : '' },
  ].filter(Boolean);
}

export function figures(list, overview) {
  for (const { id, label, value, look } of figuresOf(overview)) {
    let item = list.querySelector(`#figure-${id}`);
    if (!item) {
      item = h('div', { id: `figure-${id}` }, h('dt', {}, label), h('dd', {}));
      list.append(item);
    }
    item.dataset.look = look;
    text(item.querySelector('dd'), value);
  }
}
