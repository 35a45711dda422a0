import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Live } from '../../main/webapp/console/live.js';
import { Refresher } from '../../main/webapp/console/refresher.js';
import { settle } from './fakes.mjs';

let now = 0;

beforeEach(() => {
  now = 0;
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
  delete globalThis.document;
});

async function pass(ms) {
  for (let passed = 0; passed < ms; passed += 100) {
    now += 100;
    mock.timers.tick(100);
    await settle();
  }
}

/** A server whose overview has a version; it answers null to who has it. */
function server() {
  const asked = [];
  const state = { version: 1, error: null, asked };
  state.overview = async (etag) => {
    asked.push(etag);
    if (state.error) throw state.error;
    const tag = `W/"${state.version}"`;
    return { overview: etag === tag ? null : { version: state.version }, etag: tag };
  };
  return state;
}

function watch(admin) {
  const told = { figures: [], changes: 0, status: [] };
  const live = new Live(admin, {
    onFigures: (overview) => told.figures.push(overview.version),
    onChange: () => told.changes++,
    onStatus: ({ kind }) => told.status.at(-1) !== kind && told.status.push(kind),
  });
  live.start();
  return { live, told };
}

test('overview_unchanged_isAskedForWithItsValidatorAndTellsNothing', async () => {
  const admin = server();
  const { live, told } = watch(admin);
  await pass(6500);
  live.stop();
  assert.deepEqual(admin.asked, [null, 'W/"1"', 'W/"1"', 'W/"1"']);
  assert.deepEqual(told, { figures: [1], changes: 0, status: ['live'] });
});

test('overview_changed_isShownAndTheListIsReadAgain', async () => {
  const admin = server();
  const { live, told } = watch(admin);
  await pass(1000);
  admin.version = 2;
  await pass(2000);
  live.stop();
  assert.deepEqual(told.figures, [1, 2]);
  assert.equal(told.changes, 1);
});

test('overview_ofAServerThatIsAway_isAskedForMoreRarelyAndComesBack', async () => {
  const admin = server();
  admin.error = Object.assign(new Error('away'), { retryAfterMs: 0 });
  const { live, told } = watch(admin);
  await pass(10_000);
  const tries = admin.asked.length;
  assert.ok(tries >= 3 && tries <= 8, String(tries));
  admin.error = null;
  await pass(16_000);
  live.stop();
  assert.deepEqual(told.status, ['down', 'live']);
});

test('overview_whileThePageIsHidden_isNotAskedFor', async () => {
  const admin = server();
  const { live, told } = watch(admin);
  await pass(100);
  document.hidden = true;
  await pass(20_000);
  assert.equal(admin.asked.length, 1);
  document.hidden = false;
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(100);
  live.stop();
  assert.equal(admin.asked.length, 2);
  assert.deepEqual(told.status, ['live', 'paused', 'live']);
});

test('list_afterManyEvents_isReadOnceASecondAndNeverTwiceAtATime', async () => {
  let running = 0;
  let most = 0;
  let reads = 0;
  const refresher = new Refresher(async () => {
    reads++;
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 300));
    running--;
  }, { everyMs: 60_000 });
  refresher.now();
  for (let i = 0; i < 50; i++) {
    refresher.soon();
    await pass(100);
  }
  refresher.stop();
  assert.equal(most, 1);
  assert.ok(reads >= 4 && reads <= 6, String(reads));
});

test('list_withoutEvents_isReadAgainAfterItsTime', async () => {
  let reads = 0;
  const refresher = new Refresher(async () => { reads++; }, { everyMs: 5000 });
  refresher.now();
  await pass(12_000);
  refresher.stop();
  await pass(12_000);
  assert.equal(reads, 3);
});

test('list_askedForAgain_dropsTheAnswerToTheOlderQuestion', async () => {
  const signals = [];
  const refresher = new Refresher(async (signal) => {
    signals.push(signal);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }, { everyMs: 60_000 });
  refresher.now();
  await pass(100);
  refresher.now();
  await pass(100);
  refresher.stop();
  assert.deepEqual(signals.map((signal) => signal.aborted), [true, true]);
  assert.equal(signals.length, 2);
});
