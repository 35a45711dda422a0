import { Problem, Unreachable } from './problem.js';

/**
 * Signs in at a demo server and resolves to the token function that `Api` takes. The token lives in memory
 * only. A demo server makes a new key at each start, so a fresh token is fetched when one is refused.
 */
export async function demoSignIn({ subject, groups, teams }, base = '/api/v1') {
  const fetchToken = async () => {
    const response = await fetch(`${base}/demo/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ subject, groups, teams }),
    }).catch((cause) => {
      throw new Unreachable('The server cannot be reached.', cause);
    });
    if (!response.ok) throw await Problem.of(response);
    return (await response.json()).token;
  };
  let token = await fetchToken();
  return async (fresh) => {
    if (fresh) token = await fetchToken();
    return token;
  };
}
