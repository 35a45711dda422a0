import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Microphone } from '../../main/webapp/client/microphone.js';
import { Playback } from '../../main/webapp/client/playback.js';
import { bestState, qualityOf, readStats, since } from '../../main/webapp/client/quality.js';
import { Speakers, SpeakerTeller } from '../../main/webapp/client/speaking.js';

test('speaking_lastsOverTheGapsBetweenWords_andEnds', () => {
  const speakers = new Speakers();
  assert.equal(speakers.hear('a', 0.2, 0), true);
  assert.equal(speakers.hear('a', 0.001, 500), true);
  assert.equal(speakers.hear('a', 0.001, 900), false);
  assert.equal(speakers.speaks('b', 0), false);
});

test('speaker_isTold_onlyOnceSettled_andNotWhileItStaysTheSame', () => {
  const teller = new SpeakerTeller();
  assert.equal(teller.next(['a'], 0), null);
  assert.equal(teller.next(['a'], 1600), 'a');
  assert.equal(teller.next(['a'], 30_000), null);
  // A cough does not count.
  assert.equal(teller.next(['b'], 31_000), null);
  assert.equal(teller.next([], 31_200), null);
  assert.equal(teller.next(['b'], 32_000), null);
  assert.equal(teller.next(['b'], 33_500), 'b');
});

test('speakers_takingTurnsFast_areToldAtMostEveryTenSeconds', () => {
  const teller = new SpeakerTeller();
  let told = 0;
  for (let ms = 0; ms < 60_000; ms += 250) {
    if (teller.next([Math.floor(ms / 2000) % 2 ? 'a' : 'b'], ms)) told++;
  }
  assert.ok(told >= 3 && told <= 6, `${told}`);
});

test('statistics_areSummedOverTheInboundAudio_andTheSelectedPair', () => {
  const read = readStats(
    new Map([
      [1, { type: 'inbound-rtp', kind: 'audio', packetsReceived: 10, packetsLost: -1, jitter: 0.004 }],
      [2, { type: 'inbound-rtp', kind: 'video', packetsReceived: 99 }],
      [3, { id: 'x', type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.9 }],
      [4, { id: 'y', type: 'candidate-pair', currentRoundTripTime: 0.0104 }],
      [5, { type: 'transport', selectedCandidatePairId: 'y' }],
    ]),
  );
  assert.deepEqual(read, { packetsReceived: 10, packetsLost: 0, jitterMs: 4, rttMs: 10 });
  assert.deepEqual(readStats(new Map()), { packetsReceived: 0, packetsLost: 0, jitterMs: 0, rttMs: null });
});

test('quality_followsWhatArrived_lossDelayAndJitter', () => {
  const calm = { rttMs: 40, jitterMs: 5 };
  const passed = since({ packetsReceived: 100, packetsLost: 0 }, { packetsReceived: 195, packetsLost: 5 });
  assert.deepEqual(passed, { flowing: true, loss: 0.05 });
  assert.equal(qualityOf(passed, calm), 'fair');
  assert.equal(qualityOf({ flowing: true, loss: 0.2 }, calm), 'poor');
  assert.equal(qualityOf({ flowing: true, loss: 0 }, { rttMs: 600, jitterMs: 5 }), 'poor');
  assert.equal(qualityOf({ flowing: true, loss: 0 }, { rttMs: null, jitterMs: 5 }), 'good');
  assert.equal(qualityOf({ flowing: false, loss: 0 }, calm), 'none');
});

test('bestState_isFailed_onlyWhereAllFailed', () => {
  assert.equal(bestState(['failed', 'connected', 'new']), 'connected');
  assert.equal(bestState(['failed', 'failed']), 'failed');
  assert.equal(bestState(['failed', 'disconnected']), 'disconnected');
  assert.equal(bestState([]), 'new');
});

const device = (id) => ({ kind: 'audioinput', deviceId: id, label: `Device ${id}` });

function fakeMedia(answer) {
  const asked = [];
  return {
    asked,
    getUserMedia: async (constraints) => {
      asked.push(constraints.audio.deviceId?.exact ?? null);
      return answer(asked.at(-1) ?? 'default');
    },
    enumerateDevices: async () => [device('default'), device('desk'), { kind: 'audiooutput', deviceId: 'o' }],
  };
}

function fakeStream(deviceId) {
  const track = { enabled: true, stopped: false, getSettings: () => ({ deviceId }), stop: () => (track.stopped = true) };
  return { getAudioTracks: () => [track] };
}

test('microphone_changedOver_stopsTheOldOne_andStaysMuted', async () => {
  const media = fakeMedia(fakeStream);
  const microphone = new Microphone({ media });
  assert.equal(await microphone.open(), true);
  assert.deepEqual([microphone.state, microphone.deviceId], ['on', 'default']);
  assert.deepEqual(microphone.devices.map(({ deviceId }) => deviceId), ['default', 'desk']);
  const { track: before } = microphone;
  microphone.mute(true);
  assert.equal(before.enabled, false);
  await microphone.open('desk');
  assert.deepEqual(media.asked, [null, 'desk']);
  assert.equal(before.stopped, true);
  assert.deepEqual([microphone.deviceId, microphone.track.enabled], ['desk', false]);
  microphone.track.onended();
  assert.deepEqual([microphone.state, microphone.track], ['lost', null]);
});

test('microphone_thatCannotBeHad_saysWhy', async () => {
  for (const [name, state] of [['NotAllowedError', 'denied'], ['NotFoundError', 'missing'], ['NotReadableError', 'busy']]) {
    const media = fakeMedia(() => {
      throw Object.assign(new Error(name), { name });
    });
    const microphone = new Microphone({ media });
    assert.equal(await microphone.open(), false);
    assert.equal(microphone.state, state);
  }
  const microphone = new Microphone({ media: null });
  await microphone.open();
  assert.equal(microphone.state, 'unsupported');
});

test('microphone_closedWhileTheUserWasThinking_isNotKept', async () => {
  let allow;
  const media = fakeMedia(() => new Promise((resolve) => (allow = resolve)));
  const microphone = new Microphone({ media });
  const opening = microphone.open();
  microphone.close();
  const stream = fakeStream('default');
  allow(stream);
  await opening;
  assert.equal(stream.getAudioTracks()[0].stopped, true);
  assert.deepEqual([microphone.state, microphone.track], ['off', null]);
});

test('playback_thatTheBrowserHoldsBack_isUnblockedByAPress', async () => {
  globalThis.MediaStream = class {
    constructor(tracks) {
      this.tracks = tracks;
    }
  };
  let allowed = false;
  const made = [];
  const make = () => {
    const element = {
      paused: false,
      playing: false,
      async play() {
        if (!allowed) throw Object.assign(new Error('press first'), { name: 'NotAllowedError' });
        element.playing = true;
      },
      pause: () => (element.paused = true),
    };
    made.push(element);
    return element;
  };
  const seen = [];
  const playback = new Playback({ onChange: () => seen.push(playback.blocked), make });
  playback.set('a', { id: 't' });
  await new Promise(setImmediate);
  assert.deepEqual(seen, [true]);
  allowed = true;
  await playback.unblock();
  assert.deepEqual([made[0].playing, playback.blocked], [true, false]);
  playback.set('a', null);
  assert.deepEqual([made[0].paused, made[0].srcObject], [true, null]);
});
