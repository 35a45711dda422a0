import { byId, keyed, onPress, show, text } from './dom.js';
import { microphoneWords } from './words.js';

/** Talking: the microphone, muting, and a button where the browser wants a press before it plays. */
export function talkView(current) {
  const level = byId('level');

  function draw() {
    const huddle = current();
    if (!huddle) return;
    const { microphone, playback, session } = huddle;
    const here = ['in', 'joining', 'suspended', 'dropped'].includes(session.state);
    show(byId('talk'), here);
    show(byId('sound'), here && playback.blocked);
    const on = microphone.track !== null;
    show(byId('mute'), on);
    // The word changes with what a press would do, so there is no pressed state beside it.
    text(byId('mute'), microphone.muted ? 'Unmute' : 'Mute');
    byId('mute').dataset.muted = String(microphone.muted);
    show(byId('level'), on);
    byId('microphone-words').dataset.state = on ? (microphone.muted ? 'muted' : 'on') : microphone.state;
    say(huddle);
    show(byId('microphone-again'), !on && ['denied', 'missing', 'busy', 'lost'].includes(microphone.state));
    show(byId('device-field'), on && microphone.devices.length > 0);
    keyed(byId('device'), microphone.devices, (each) => each.deviceId, byId('device-row'), (node, each) => {
      node.value = each.deviceId;
      text(node, each.label || 'Microphone');
    });
    if (on && byId('device').value !== microphone.deviceId) byId('device').value = microphone.deviceId;
  }

  function say(huddle) {
    text(byId('microphone-words'), microphoneWords(huddle.microphone, huddle.audience()));
  }

  /** The own level, so that one sees that the microphone hears; the words say it to those who cannot see it. */
  function tick() {
    const huddle = current();
    if (!huddle) return;
    say(huddle);
    if (huddle.microphone.track) level.value = Math.min(1, huddle.microphone.level() * 6);
  }

  onPress(byId('mute'), () => current().mute());
  onPress(byId('sound'), () => current().playback.unblock());
  onPress(byId('microphone-again'), () => current().microphone.open());
  byId('device').addEventListener('change', () => current().choose(byId('device').value));
  document.addEventListener('keydown', (event) => {
    const huddle = current();
    if (event.key.toLowerCase() !== 'm' || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    // A single letter as a shortcut can be switched off, and is none where one writes or chooses.
    if (!huddle?.microphone.track || !byId('key-mutes').checked) return;
    if (event.target.closest('input:not([type="checkbox"]), select, textarea, dialog')) return;
    event.preventDefault();
    huddle.mute();
  });

  return { draw, tick, tellsSpeakers: () => byId('tell-speakers').checked };
}
