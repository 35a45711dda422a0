import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { isTransient } from '../../main/webapp/client/problem.js';
import { pageSession, signInAddress } from '../../main/webapp/page/session.js';
import { settle } from './fakes.mjs';

/** What the server answers, in order; the last one for ever. */
let answers;
let calls;
const before = { fetch: globalThis.fetch, location: globalThis.location };

beforeEach(() => {
  calls = [];
  globalThis.fetch = async (target, request) => {
    calls.push({ target, ...request });
    const { status, body } = answers.length > 1 ? answers.shift() : answers[0];
    if (status === 0) throw new TypeError('no network');
    const type = status === 200 ? 'application/json' : 'application/problem+json';
    return new Response(body && JSON.stringify(body), { status, headers: { 'Content-Type': type } });
  };
});

afterEach(() => Object.assign(globalThis, before));

const token = (name, seconds) => ({
  status: 200,
  body: {
    token: name,
    expiresAt: new Date(60_000_000 + seconds * 1000).toISOString(),
    serverTime: new Date(60_000_000).toISOString(),
    subject: 'clinician-7',
    groups: ['participant'],
    teams: ['ward-7'],
  },
});

test('server without a provider, has no session: the demo signs in', async () => {
  answers = [{ status: 404 }];
  assert.equal(await pageSession(), null);
});

test('nobody signed in, is told as that', async () => {
  answers = [{ status: 401, body: { code: 'unauthenticated' } }];
  assert.deepEqual(await pageSession(), { signedIn: false });
});

test('server away, is an error and not the demo', async () => {
  answers = [{ status: 0 }];
  await assert.rejects(pageSession(), /cannot be reached/);
});

/** The page showed its heading and nothing else for as long as the connection stood. */
test('server that never answers, is given up in time, and may be asked again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    globalThis.fetch = (_target, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))));
    const asked = pageSession();
    await settle();
    mock.timers.tick(15_000);
    await assert.rejects(asked, (error) => isTransient(error) && /did not answer in time/.test(error.message));
  } finally {
    mock.timers.reset();
  }
});

test('answer that cannot be read, is no answer', async () => {
  globalThis.fetch = async () => new Response('<html>', { status: 200 });
  await assert.rejects(pageSession(), isTransient);
});

test('token with long to go, is asked for once and by this origin only', async () => {
  answers = [token('first', 3600)];
  const session = await pageSession();

  assert.equal(await session.token(false), 'first');
  assert.equal(await session.token(false), 'first');

  assert.deepEqual([session.subject, session.teams], ['clinician-7', ['ward-7']]);
  assert.equal(calls.length, 1);
  assert.equal(calls[0].credentials, 'same-origin');
  assert.equal(calls[0].cache, 'no-store');
});

test('token about to end, is asked for anew, by the clock of the server', async () => {
  answers = [token('first', 20), token('second', 3600)];
  const session = await pageSession();

  assert.equal(await session.token(false), 'second');
  assert.equal(await session.token(false), 'second');
  assert.equal(calls.length, 2);
});

test('refused token, is asked for anew, once for all who wait', async () => {
  answers = [token('first', 3600), token('second', 3600)];
  const session = await pageSession();

  const all = await Promise.all([session.token(true), session.token(true), session.token(true)]);

  assert.deepEqual(all, ['second', 'second', 'second']);
  assert.equal(calls.length, 2);
});

/** As the browser's: waits until the one before is done, or the signal ends the wait. */
function locked(before) {
  const request = async (name, { signal }, action) => {
    const ended = new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    await Promise.race([before, ended]);
    return action();
  };
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks: { request } } });
}

const unlocked = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
afterEach(() => {
  mock.restoreAll();
  if (unlocked) Object.defineProperty(globalThis, 'navigator', unlocked);
  else delete globalThis.navigator;
});

// The page stood there without a sign-in for as long as another tab hung in its question.
test('another tab that hangs, keeps nobody out', async () => {
  locked(new Promise(() => {}));
  const wait = new AbortController();
  mock.method(AbortSignal, 'timeout', () => wait.signal);
  answers = [token('first', 3600)];

  const session = pageSession();
  await new Promise(setImmediate);
  assert.equal(calls.length, 0);
  wait.abort();

  assert.equal((await session).subject, 'clinician-7');
  assert.equal(calls.length, 1);
});

test('refusal after the wait for another tab, is told and not asked for twice', async () => {
  locked(Promise.resolve());
  answers = [{ status: 401, body: { code: 'unauthenticated' } }];

  assert.deepEqual(await pageSession(), { signedIn: false });
  assert.equal(calls.length, 1);
});

test('sign-in that has ended, rejects with what the server says', async () => {
  answers = [token('first', 3600), { status: 401, body: { code: 'unauthenticated', detail: 'The sign-in has ended.' } }];
  const session = await pageSession();
  await assert.rejects(session.token(true), /has ended/);
});

test('sign-out, ends the session at the server', async () => {
  answers = [token('first', 3600), { status: 204 }];
  await (await pageSession()).signOut();
  assert.equal(calls[1].method, 'DELETE');
});

test('address of the sign-in, brings back to the page as it is', () => {
  globalThis.location = { pathname: '/', search: '?room=r-1' };
  assert.equal(signInAddress(), '/session/sign-in?to=%2F%3Froom%3Dr-1');
});
