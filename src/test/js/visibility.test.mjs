import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followVisibility } from '../../main/webapp/client/visibility.js';

/** A page that can be hidden, and a session that notes what is asked of it. */
function setting({ state = 'in', stays } = {}) {
  const page = new EventTarget();
  const frame = new EventTarget();
  const asked = [];
  const session = {
    state,
    suspend: (how) => (asked.push(['suspend', how]), (session.state = 'suspended')),
    resume: () => (asked.push(['resume']), (session.state = 'in')),
    leave: (how) => asked.push(['leave', how]),
    hurry: () => asked.push(['hurry']),
    check: () => asked.push(['check']),
  };
  const turn = (visibilityState) => {
    page.visibilityState = visibilityState;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const stop = followVisibility(session, { page, frame, ...(stays && { stays }) });
  return { session, frame, asked, turn, stop };
}

test('phoneInThePocket_suspends_inAWayThatOutlivesThePage_andResumes', () => {
  const { asked, turn } = setting();
  turn('hidden');
  turn('visible');
  assert.deepEqual(asked, [['suspend', { keepalive: true }], ['resume']]);
});

test('laptopThatTalksBehindAnotherWindow_staysIn', () => {
  const { asked, turn } = setting({ stays: () => true });
  turn('hidden');
  turn('visible');
  assert.deepEqual(asked, []);
});

test('suspendedByHand_staysSuspendedWhenThePageIsBack', () => {
  const { asked, turn } = setting({ state: 'suspended' });
  turn('hidden');
  turn('visible');
  assert.deepEqual(asked.map(([what]) => what), ['suspend']);
});

test('pageThatGoesForGood_leaves_andOneThatIsKeptDoesNot', () => {
  const { asked, frame } = setting();
  frame.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }));
  assert.deepEqual(asked, []);
  frame.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
  assert.deepEqual(asked, [['leave', { keepalive: true }]]);
});

test('whatTheBrowserSaysOfTheNetwork_isAHintToLook_untilStopped', () => {
  const { asked, frame, stop } = setting();
  frame.dispatchEvent(new Event('offline'));
  frame.dispatchEvent(new Event('online'));
  assert.deepEqual(asked, [['check'], ['hurry']]);
  stop();
  frame.dispatchEvent(new Event('online'));
  assert.equal(asked.length, 2);
});
