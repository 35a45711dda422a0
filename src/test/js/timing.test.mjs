import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff, retryAfter } from '../../main/webapp/client/backoff.js';
import { ServerClock } from '../../main/webapp/client/clock.js';

test('backoff_withEachFailure_doublesUpToItsCap', () => {
  const longest = Array.from({ length: 8 }, (_, failures) => backoff(failures, 1));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  assert.equal(backoff(1e6, 1), 15000);
});

test('backoff_withAnyRandomness_staysBetweenHalfAndWhole', () => {
  assert.equal(backoff(3, 0), 2000);
  assert.equal(backoff(3, 0.5), 3000);
});

test('backoff_withARetryAfter_waitsAtLeastThatAndSpreadsUpwards', () => {
  assert.equal(backoff(0, 0, 3000), 3000);
  assert.equal(backoff(0, 1, 3000), 3750);
  assert.equal(backoff(5, 0, 3000), 7500);
});

test('retryAfter_inSecondsOrAsADate_isRead', () => {
  const now = Date.parse('2025-01-01T08:00:00Z');
  assert.equal(retryAfter('3', now), 3000);
  assert.equal(retryAfter('Wed, 01 Jan 2025 08:00:05 GMT', now), 5000);
  assert.equal(retryAfter('Wed, 01 Jan 2025 07:00:00 GMT', now), 0);
  assert.equal(retryAfter('soon', now), 0);
  assert.equal(retryAfter(null, now), 0);
});

const SERVER = Date.parse('2025-01-01T08:00:00.000Z');
const time = (ms) => new Date(SERVER + ms).toISOString();

test('clock_withoutASample_isUnknown', () => {
  assert.ok(Number.isNaN(new ServerClock(() => 5).now()));
});

test('clock_withSeveralSamples_keepsWithinTheTightestBounds', () => {
  let local = 1000;
  const clock = new ServerClock(() => local);
  clock.sample(time(0), 1000, 3000);
  assert.ok(Math.abs(clock.now() - (SERVER - 1000)) <= 1);
  clock.sample(time(5000), 7000, 7010);
  local = 7010;
  assert.ok(Math.abs(clock.now() - (SERVER + 5005)) <= 6);
  // A slow reply adds nothing, whatever its middle would suggest.
  clock.sample(time(9000), 11_000, 19_000);
  assert.ok(Math.abs(clock.now() - (SERVER + 5005)) <= 6);
});

test('clock_afterASleepOrAStep_believesTheNewerSample', () => {
  let local = 1000;
  const clock = new ServerClock(() => local);
  clock.sample(time(0), 1000, 1010);
  local = 2000;
  clock.sample(time(3_600_000), 2000, 2010);
  assert.ok(Math.abs(clock.now() - (SERVER + 3_600_000)) <= 10);
});

test('clock_withAnUnreadableTime_keepsWhatItKnew', () => {
  const clock = new ServerClock(() => 1000);
  clock.sample(time(0), 1000, 1000);
  clock.sample('tomorrow', 1000, 1000);
  assert.ok(Math.abs(clock.now() - SERVER) <= 1);
});
