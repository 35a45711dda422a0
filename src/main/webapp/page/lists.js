import { remaining } from '../huddle.js';
import { byId, keyed, show, text } from './dom.js';
import { audioWords, clockTime, eventDetail, eventWords, initials } from './words.js';

const TINTS = 6;

/** Draws the roster's shown entries; called several times a second, so that it writes only what changed. */
export function drawRoster(people, { now, policy, listening }) {
  keyed(byId('roster'), people, (entry) => entry.session, byId('roster-row'), (node, entry) => {
    const { name } = entry;
    node.dataset.state = entry.state;
    node.dataset.name = name;
    node.dataset.speaking = String(entry.speaking);
    const disc = node.querySelector('.disc');
    disc.dataset.tint = String(tint(entry.participant));
    text(disc, initials(name));
    text(node.querySelector('.name'), name);
    show(node.querySelector('.you-mark'), entry.own);
    text(node.querySelector('.generation'), `generation ${entry.generation}`);
    text(node.querySelector('.badge'), entry.state);
    show(node.querySelector('.speaking'), entry.speaking);
    const audio = node.querySelector('.audio');
    show(audio, listening && !entry.own && entry.state !== 'suspended');
    audio.dataset.quality = entry.audio === 'connected' ? (entry.quality ?? 'none') : 'none';
    text(audio, audioWords(entry));
    const seconds = entry.state === 'suspended' ? policy.suspendedLeaseSeconds : policy.leaseSeconds;
    const left = remaining(entry, now) / 1000;
    node.querySelector('progress').value = Math.min(1, left / seconds);
    text(node.querySelector('.left'), `${Math.ceil(left)} s left`);
  });
  text(byId('roster-count'), String(people.length));
}

/** Draws the latest events, newest first. */
export function drawTimeline(events, nameOf) {
  const newest = [...events].reverse();
  byId('timeline').start = newest.length;
  keyed(byId('timeline'), newest, (event) => event.id, byId('timeline-row'), (node, event) => {
    node.dataset.next = event.shadow ? 'shadow' : event.next;
    const time = node.querySelector('time');
    if (time.dateTime !== event.at) {
      time.dateTime = event.at;
      text(time, clockTime(event.at));
    }
    text(node.querySelector('.what'), eventWords(event, nameOf));
    text(node.querySelector('.detail'), eventDetail(event));
  });
  show(byId('timeline-empty'), newest.length === 0);
}

function tint(participant) {
  let sum = 7;
  for (const char of participant) sum = (sum * 31 + char.codePointAt(0)) % 9973;
  return sum % TINTS;
}
