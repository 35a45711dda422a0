/**
 * Huddle's browser client: who is in a room, live, and being in it.
 *
 *   import { Api, Watch, Session, followVisibility } from '/huddle.js';
 *
 *   const api = new Api({ token: (fresh) => accessToken(fresh) });
 *   const watch = new Watch(api, roomId, { onChange: draw, onEvent: (event) => session.heard(event) });
 *   const session = new Session(api, roomId, subject, { onChange: draw, onLease: (lease) => watch.renewed(lease) });
 *   watch.start();
 *   await session.join();
 *   followVisibility(session);
 *
 * Times are the server's: compare `leaseUntil` with `api.clock.now()`, never with the device's clock.
 */
export { Api } from './client/api.js';
export { Problem, Unreachable, isTransient } from './client/problem.js';
export { Watch } from './client/watch.js';
export { Session } from './client/session.js';
export { followVisibility } from './client/visibility.js';
export { demoSignIn } from './client/demo.js';
export { remaining, shown, lapsed } from './client/roster.js';
export { newKey, retrying } from './client/retry.js';
