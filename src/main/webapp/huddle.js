/**
 * Huddle's browser client: who is in a room, live, being in it, and talking. An ES module, no build step, no
 * dependencies. src/docs/huddle-js.md tells it at length.
 *
 *   import { Api, Huddle } from 'https://huddle.example/huddle.js';
 *
 *   const api = new Api({ base: 'https://huddle.example/api/v1', token: (fresh) => accessToken(fresh) });
 *   const huddle = new Huddle({ api, room, participant: pseudonym, nameOf: (id) => names.get(id) ?? id, onChange: draw });
 *   huddle.watch.start();                                  // who is there, also without joining
 *   joinButton.onclick = () => huddle.join();              // from a press, so that the browser lets sound play
 *   muteButton.onclick = () => huddle.mute();
 *   soundButton.onclick = () => huddle.playback.unblock(); // shown while huddle.playback.blocked
 *
 *   function draw() {
 *     const { session, microphone } = huddle;
 *     list(huddle.people());          // [{ name, own, state, speaking, audio, quality, … }]
 *     say(session.state, session.ending, session.line, microphone.state);
 *   }
 *
 *   huddle.close();                   // leaves
 *
 * `Session`, `Watch` and `Mesh` are its parts, for pages that need only some. Times are the server's: compare
 * `leaseUntil` with `api.clock.now()`, never with the device's clock. The server knows pseudonyms and never a name.
 */
export { Api } from './client/api.js';
export { Huddle } from './client/huddle.js';
export { Problem, Unreachable, isTransient } from './client/problem.js';
export { Watch } from './client/watch.js';
export { Session } from './client/session.js';
export { CallError, Stream } from './client/stream.js';
export { Mesh } from './client/mesh.js';
export { Microphone } from './client/microphone.js';
export { Playback } from './client/playback.js';
export { SpeakerTeller } from './client/speaking.js';
export { followVisibility } from './client/visibility.js';
export { followSleep } from './client/wake.js';
export { demoSignIn } from './client/demo.js';
export { remaining, shown, lapsed } from './client/roster.js';
export { newKey, retrying } from './client/retry.js';
