import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { Huddle } from '../../main/webapp/client/huddle.js';
import { settle } from './fakes.mjs';

const SERVER_NOW = Date.parse('2025-01-01T08:00:00.000Z');
const lease = (state) => ({ state, leaseUntil: '2025-01-01T08:00:15.000Z', serverTime: '2025-01-01T08:00:00.000Z' });

const api = {
  generation: 0,
  clock: { local: () => 0, now: () => SERVER_NOW },
  join: async () => ({ ...lease('present'), session: 's-1', generation: ++api.generation, heartbeatSeconds: 5, leaseSeconds: 15 }),
  renew: async () => lease('present'),
  suspend: async () => lease('suspended'),
  leave: async () => {},
};

class FakeMicrophone {
  state = 'off';
  track = null;
  muted = false;
  opened = 0;

  async open() {
    this.opened++;
    this.state = 'on';
    this.track = {};
  }

  close() {
    this.state = 'off';
    this.track = null;
  }
}

const borrowed = {};

before(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  for (const name of ['window', 'document']) {
    borrowed[name] = globalThis[name];
    globalThis[name] = new EventTarget();
  }
});

after(() => {
  Object.assign(globalThis, borrowed);
  mock.timers.reset();
});

async function joined() {
  const microphone = new FakeMicrophone();
  const huddle = new Huddle({ api, room: 'r-1', participant: 'me', microphone });
  await huddle.join();
  await settle();
  return { huddle, microphone };
}

for (const quiet of ['suspend', 'drop']) {
  test(`microphone_on_${quiet}_isGivenUp_andIsThereAgainOnResuming`, async () => {
    const { huddle, microphone } = await joined();
    assert.equal(microphone.state, 'on');
    huddle.session[quiet]();
    await settle();
    assert.deepEqual([microphone.state, microphone.track], ['off', null]);
    huddle.session.resume();
    await settle();
    assert.deepEqual([microphone.state, microphone.opened], ['on', 2]);
    huddle.close();
  });
}

test('microphone_onRejoiningAfterASilence_isAskedForOnce_andStaysOffAfterLeaving', async () => {
  const { huddle, microphone } = await joined();
  huddle.session.drop();
  await huddle.join();
  await settle();
  assert.deepEqual([microphone.state, microphone.opened], ['on', 2]);
  huddle.session.drop();
  await huddle.leave();
  await settle();
  assert.deepEqual([microphone.state, microphone.opened], ['off', 2]);
  huddle.close();
});

test('audience_ofARoster_countsThoseWhoTakePart_andWhoIsSuspended', async () => {
  const { huddle } = await joined();
  const entry = (session, state) => [session, { ...lease(state), session, participant: session, generation: 1, joinedAt: '' }];
  const own = ['s-1', { ...lease('present'), session: 's-1', participant: 'me', generation: 1, joinedAt: '' }];
  const entries = new Map([own, entry('s-2', 'present'), entry('s-3', 'suspended')]);
  huddle.watch.roster = { seq: 1, stage: 'alerting', roomState: 'open', policy: {}, entries };
  const expected = { state: 'in', reconnecting: false, others: 1, connected: 0, interrupted: 0, suspended: 1 };
  assert.deepEqual(huddle.audience(), expected);
  assert.equal(huddle.audience(SERVER_NOW + 9000).reconnecting, true);
  huddle.close();
});
