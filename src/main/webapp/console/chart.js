import { text } from '../page/dom.js';
import { h } from './elements.js';

const WIDTH = 360;
const HEIGHT = 140;
const EDGE = { left: 36, right: 8, top: 8, bottom: 20 };

/** The least round number, of 1, 2 or 5 and zeros, that holds the largest value. Pure. */
export function ceiling(largest) {
  if (!(largest > 0)) return 1;
  const step = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((each) => each * step).find((each) => each >= largest * (1 - 1e-9));
}

/** The path of a line; where a value is missing, so is the line. Pure. */
export function path(values, most) {
  const across = (WIDTH - EDGE.left - EDGE.right) / Math.max(1, values.length - 1);
  const down = HEIGHT - EDGE.top - EDGE.bottom;
  let pen = 'M';
  const parts = [];
  values.forEach((value, at) => {
    if (value === null || value === undefined) {
      pen = 'M';
      return;
    }
    parts.push(`${pen}${(EDGE.left + at * across).toFixed(1)} ${(EDGE.top + down * (1 - value / most)).toFixed(1)}`);
    pen = 'L';
  });
  return parts.join('');
}

export function figure(value) {
  if (value === null || value === undefined) return '–';
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** At most so many of an answer's lines, in its order: those with the largest values. Pure. */
export function strongest(lines, most) {
  const peak = (line) => Math.max(0, ...line.values.filter((value) => typeof value === 'number'));
  const kept = new Set([...lines].sort((one, other) => peak(other) - peak(one)).slice(0, most));
  return lines.filter((line) => kept.has(line));
}

const MOST_LINES = 6;

/** A card with a chart; `draw(series)` with the server's answer. Its latest and highest values stand below as text. */
export function chart(id, title, { figures = false } = {}) {
  const drawing = h('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true', focusable: 'false' });
  const scope = h('span', { class: 'muted' });
  const legend = h('table', { class: 'legend' });
  const rows = h('table', {});
  const details = figures ? h('details', {}, h('summary', {}, 'All values'),
    h('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${title}, all values` }, rows)) : null;
  const element = h('section', { class: 'card chart', 'aria-labelledby': `chart-${id}` },
    h('h2', { id: `chart-${id}` }, title, ' '), scope, drawing, legend, details);

  function draw(series) {
    const lines = strongest(series.lines, MOST_LINES);
    const known = lines.flatMap((line) => line.values).filter((value) => typeof value === 'number');
    const most = ceiling(Math.max(0, ...known));
    text(scope, `${series.unit}${series.scope === 'node' ? ', this node' : ''}`);
    const level = (share) => EDGE.top + (HEIGHT - EDGE.top - EDGE.bottom) * (1 - share);
    drawing.replaceChildren(
      ...[0, 0.5, 1].flatMap((share) => [
        h('line', { class: 'grid', x1: EDGE.left, x2: WIDTH - EDGE.right, y1: level(share), y2: level(share) }),
        h('text', { class: 'tick', x: EDGE.left - 6, y: level(share) + 4, 'text-anchor': 'end' }, figure(most * share)),
      ]),
      ...timeTicks(series.times),
      ...lines.map((line, at) => h('path', { class: 'line', 'data-line': at, d: path(line.values, most) })),
    );
    legend.replaceChildren(
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Line'), h('th', { scope: 'col' }, 'Now'), h('th', { scope: 'col' }, 'Highest'))),
      h('tbody', {}, lines.map((line, at) => {
        const numbers = line.values.filter((value) => typeof value === 'number');
        return h('tr', {},
          h('th', { scope: 'row' }, h('span', { class: 'swatch', 'data-line': at }), line.name),
          h('td', {}, figure(line.values.at(-1))),
          h('td', {}, figure(numbers.length ? Math.max(...numbers) : null)));
      })),
    );
    if (details?.open) drawRows(series);
    details?.addEventListener('toggle', () => drawRows(series), { once: true });
  }

  function drawRows(series) {
    rows.replaceChildren(
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Time'), series.lines.map((line) => h('th', { scope: 'col' }, line.name)))),
      h('tbody', {}, series.times.map((time, at) =>
        h('tr', {}, h('th', { scope: 'row' }, clock(time)), series.lines.map((line) => h('td', {}, figure(line.values[at])))))),
    );
  }
  return { element, draw };
}

function timeTicks(times) {
  if (!times.length) return [];
  return [[0, 'start'], [Math.floor((times.length - 1) / 2), 'middle'], [times.length - 1, 'end']].map(([at, anchor]) => {
    const x = EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * at) / Math.max(1, times.length - 1);
    return h('text', { class: 'tick', x, y: HEIGHT - 4, 'text-anchor': anchor }, clock(times[at]));
  });
}

function clock(at) {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
