import { show, showError } from '../../page/dom.js';
import { chart } from '../chart.js';
import { h } from '../elements.js';
import { Refresher } from '../refresher.js';
import { failureWords } from '../words.js';

const EVERY_MS = 15_000;

/** What a person would rather look at than read. */
const CHARTS = [
  { metric: 'sessions', title: 'Sessions by state' },
  { metric: 'transitions', title: 'Transitions a minute' },
  { metric: 'renewal-lateness', title: 'Renewal lateness' },
  { metric: 'oldest-unrenewed-lease', title: 'Longest unheard' },
];

/** All charts of the last hour, each with its figures as a table. */
export function chartsView(context) {
  const board = chartBoard(context, CHARTS, { figures: true });
  const element = h(
    'section',
    { class: 'view stack', 'aria-labelledby': 'charts-title' },
    h('h1', { id: 'charts-title', tabindex: '-1' }, 'The last hour'),
    board.element,
  );
  return { element, title: 'The last hour', enter: () => board.start(), refresh() {}, exit: () => board.stop() };
}

/** The first three, small, for beside the alerts. */
export function chartStrip(context) {
  return chartBoard(context, CHARTS.slice(0, 3), { figures: false });
}

function chartBoard(context, charts, { figures }) {
  const error = h('p', { class: 'note', hidden: true });
  const cards = charts.map(({ metric, title }) => ({ metric, drawn: chart(metric, title, { figures }) }));
  const grid = h('div', { class: 'charts' }, cards.map(({ drawn }) => drawn.element));
  const element = h('div', { class: 'stack' }, error, grid);

  async function read(signal) {
    try {
      const series = await Promise.all(cards.map(({ metric }) => context.admin.series({ metric, minutes: 60 }, { signal })));
      if (signal.aborted) return;
      cards.forEach(({ drawn }, at) => drawn.draw(series[at]));
      showError(error, null);
      show(grid, true);
    } catch (failed) {
      if (signal.aborted) return;
      showError(error, { message: failureWords(failed, 'charts') });
      if (failed.status) show(grid, false);
    }
  }

  let refresher = null;
  return {
    element,
    start() {
      refresher ??= new Refresher(read, { everyMs: EVERY_MS });
      refresher.now();
    },
    stop: () => refresher?.stop(),
  };
}
