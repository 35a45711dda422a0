import { Problem, Unreachable } from '../client/problem.js';

const EARLY_MS = 30_000;
/** Longer than the server waits for the provider: what is renewed there and not heard of here is lost. */
const TIMEOUT_MS = 15_000;
/** A little longer than that: a tab that hangs, or a browser that grants no lock, keeps nobody out of the page. */
const OTHERS_MS = 16_000;

/**
 * The sign-in of this server's own pages at the identity provider of the organisation. Resolves to null where the server has
 * none, to `{ signedIn: false }` where nobody is signed in, and else to
 * `{ signedIn: true, subject, groups, teams, token(fresh), signOut() }`; `token` is what `Api` takes. The token lives in
 * memory only, and a new one is asked for before it ends.
 */
export async function pageSession() {
  let held = null;
  let pending = null;

  async function ask() {
    const asked = performance.now();
    const answer = await call('GET', (response) => response.json());
    held = { ...answer, until: asked + Date.parse(answer.expiresAt) - Date.parse(answer.serverTime) };
  }

  /** One question at a time, over all tabs: the provider may take each renewal but once. */
  function renew() {
    pending ??= exclusive(ask).finally(() => { pending = null; });
    return pending;
  }

  try {
    await renew();
  } catch (error) {
    if (error.status === 404) return null;
    if (error.status === 401) return { signedIn: false };
    throw error;
  }
  const { subject, groups, teams } = held;
  return {
    signedIn: true,
    subject,
    groups,
    teams,
    async token(fresh) {
      if (fresh || performance.now() > held.until - EARLY_MS) await renew();
      return held.token;
    },
    signOut: () => call('DELETE'),
  };
}

/** Where the browser goes to sign in; it comes back to the page as it is now. */
export function signInAddress() {
  return `/session/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
}

async function exclusive(action) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return action();
  let granted = false;
  const signal = AbortSignal.timeout(OTHERS_MS);
  try {
    return await locks.request('huddle-session', { signal }, () => {
      granted = true;
      return action();
    });
  } catch (error) {
    if (granted) throw error;
    return action();
  }
}

async function call(method, read = () => {}) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  const request = {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { Accept: 'application/json' },
    signal: abort.signal,
  };
  try {
    const response = await fetch('/session/token', request);
    if (!response.ok) throw await Problem.of(response);
    return await read(response);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Unreachable(abort.signal.aborted ? 'The server did not answer in time.' : 'The server cannot be reached.', error);
  } finally {
    clearTimeout(timer);
  }
}
