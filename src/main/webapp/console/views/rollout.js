import { announce, show, showError, text } from '../../page/dom.js';
import { badge, button, code, h, since } from '../elements.js';
import { table } from '../listing.js';
import { pagedView } from '../paged.js';
import { askReason } from '../reason.js';
import { Refresher } from '../refresher.js';
import { format } from '../router.js';
import { failureWords, kindWords, stamp } from '../words.js';

/** From seeing only to acting on everything; what each of them does, in the words of the documentation. */
const STAGES = {
  shadow: 'the roster shows who is connected; leases are computed and end nobody',
  fencing: 'as shadow, and older generations are refused',
  leases: 'the roster is the unexpired leases; a lapsed lease ends its session',
  alerting: 'as leases, and drift raises alerts',
};
const KINDS = ['shown_without_lease', 'leased_not_shown', 'observed_without_session', 'stale_generation'];
const DEPLOYMENT = 'deployment';

/** Where the roster that is shown and the one by leases differ, and which of them counts. */
export function rolloutView(context) {
  const { admin } = context;
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const list = table({
    label: 'Stages',
    keyOf: (choice) => choice.scope,
    columns: [
      { head: 'Scope', cell: (choice) => scopeWords(choice.scope) },
      { head: 'Stage', cell: (choice) => [badge(choice.stage), h('span', { class: 'under' }, STAGES[choice.stage] ?? '')] },
      { head: 'Since', cell: (choice) => (choice.changedAt ? h('time', { datetime: choice.changedAt, title: choice.changedAt }, stamp(choice.changedAt)) : '–') },
      { head: 'By', cell: (choice) => choice.changedBy || '–' },
      {
        head: 'Action',
        cell: (choice) => [
          button('Change…', () => choose(choice.scope, choice.stage), { class: 'small', 'aria-label': `Change the stage of ${scopeWords(choice.scope)}…` }),
          ' ',
          choice.scope !== DEPLOYMENT &&
            button('Take back…', () => takeBack(choice.scope), { class: 'small', 'aria-label': `Take back the stage of ${scopeWords(choice.scope)}…` }),
        ],
      },
    ],
  });
  const scope = h('input', { id: 'stage-scope', maxlength: '100', autocomplete: 'off', spellcheck: 'false', placeholder: 'empty: the deployment' });
  const stage = h('select', { id: 'stage-stage' }, Object.keys(STAGES).map((each) => h('option', { value: each }, each)));
  const form = h(
    'form',
    { class: 'filters', id: 'stage-form', 'aria-labelledby': 'stages-title' },
    h('div', { class: 'field' }, h('label', { for: 'stage-scope' }, 'Team'), scope),
    h('div', { class: 'field' }, h('label', { for: 'stage-stage' }, 'Stage'), stage),
    h('button', {}, 'Set stage…'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const team = scope.value.trim();
    change(team ? `team:${team}` : DEPLOYMENT, stage.value);
  });

  const sums = h('p', { class: 'muted' });
  const view = pagedView(context, {
    id: 'rollout',
    title: 'Shadow and stages',
    lead: 'The stage says which roster counts: the one the sockets see, or the one by leases. Below is where the two differ.',
    what: 'the shadow comparison',
    extra: h('section', { class: 'stack', 'aria-labelledby': 'stages-title' },
      h('h2', { id: 'stages-title' }, 'Stages'), error, list.element, form,
      h('h2', {}, 'Differences'), sums),
    fields: [
      { name: 'kind', label: 'Kind', options: [['', 'any'], ...KINDS.map((kind) => [kind, kindWords(kind)])] },
      { name: 'open', label: 'Still so', options: [['', 'or not'], ['true', 'yes'], ['false', 'no']] },
    ],
    keyOf: (mismatch) => mismatch.id,
    columns: [
      { head: 'Kind', cell: (mismatch) => kindWords(mismatch.kind) },
      { head: 'Room', cell: (mismatch) => h('a', { href: format('room', { id: mismatch.room }) }, code(mismatch.room)) },
      { head: 'Participant', cell: (mismatch) => [mismatch.participant ?? '–', mismatch.session && h('span', { class: 'under' }, code(mismatch.session))] },
      { head: 'Since', cell: (mismatch) => since(mismatch.since) },
      { head: 'Until', cell: (mismatch) => (mismatch.until ? stamp(mismatch.until) : 'still so') },
    ],
    async load(query, options) {
      const page = await admin.mismatches(query, options);
      text(sums, page.sums?.length ? page.sums.map(({ kind, open, total }) => `${kindWords(kind)}: ${open} now, ${total} in all`).join(' · ') : '');
      return page;
    },
    empty: 'The two rosters agree.',
    everyMs: 5000,
  });

  async function read(signal) {
    try {
      const { items } = await admin.stages({}, { signal });
      if (signal.aborted) return;
      showError(error, null);
      list.draw(items);
      show(list.element, true);
      show(form, true);
    } catch (failed) {
      if (signal.aborted) return;
      showError(error, { message: failureWords(failed, 'the stages') });
      if (failed.status) {
        show(list.element, false);
        show(form, false);
      }
    }
  }

  /** Puts the scope into the form, where the new stage is chosen. */
  function choose(of, now) {
    scope.value = of === DEPLOYMENT ? '' : of.replace(/^team:/, '');
    stage.value = now;
    stage.focus();
  }

  async function change(of, to) {
    const done = await askReason({
      title: `Stage “${to}” for ${scopeWords(of)}?`,
      explanation: `In ${to}: ${STAGES[to]}. It counts from the next transaction on every node; going back loses no room.`,
      confirm: 'Change the stage',
      act: (reason) => admin.changeStage(of, to, reason),
    });
    if (!done) return;
    announce(`${scopeWords(of)} is in stage ${to}.`);
    refresher.now();
    view.refresh();
  }

  async function takeBack(of) {
    const done = await askReason({
      title: `Take back the stage of ${scopeWords(of)}?`,
      explanation: 'The stage of the deployment applies to it again.',
      confirm: 'Take back',
      act: (reason) => admin.takeBackStage(of, reason),
    });
    if (!done) return;
    announce(`${scopeWords(of)} has the stage of the deployment.`);
    refresher.now();
    view.refresh();
  }

  const refresher = new Refresher(read, { everyMs: 10_000 });
  return {
    ...view,
    enter(place) {
      view.enter(place);
      refresher.now();
    },
    refresh() {
      view.refresh();
      refresher.soon();
    },
    exit() {
      view.exit();
      refresher.stop();
    },
  };
}

function scopeWords(scope) {
  return scope === DEPLOYMENT ? 'the whole deployment' : scope.replace(/^team:/, 'team ');
}
