import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Mesh } from '../../main/webapp/client/mesh.js';
import { FakeConnection, settle, Time } from './fakes.mjs';

let time;
let net;

/** Carries signals between meshes, as the server does: to the current generation of a session, or not at all. */
class Net {
  sides = new Map();
  held = null;
  log = [];
  down = new Set();

  join(session, generation = 1, track = { of: session }) {
    const heard = [];
    const made = [];
    const mesh = new Mesh({
      send: (signal) => this.#carry(session, signal),
      connect: (configuration) => {
        const connection = new FakeConnection(configuration);
        made.push(connection);
        return connection;
      },
      now: time.now,
      onTrack: (from, received) => heard.push([from, received?.of ?? null]),
    });
    mesh.setTrack(track);
    const side = { session, generation, mesh, heard, made };
    this.sides.set(session, side);
    return side;
  }

  /** Everybody gets the roster of all, or of those named. */
  roster(sides = [...this.sides.values()], to = sides) {
    const entries = sides.map(({ session, generation, state = 'present' }) => ({ session, generation, state }));
    for (const { mesh, session, generation } of to) mesh.update({ session, generation, iceServers: [{ urls: ['turn:t'] }] }, entries);
  }

  async release() {
    const held = this.held;
    this.held = null;
    for (const deliver of held) {
      deliver();
      await settle();
    }
  }

  async #carry(from, { toSession, kind, payload }) {
    this.log.push(`${from} ${kind} ${toSession}`);
    const { generation } = this.sides.get(from);
    const deliver = () => {
      const side = this.sides.get(toSession);
      if (!side || this.down.has(toSession)) return false;
      side.mesh.receive({ fromSession: from, generation, kind, payload, room: 'r' });
      return true;
    };
    if (!this.held) return deliver();
    this.held.push(deliver);
    return true;
  }
}

const peer = (side, other) => side.mesh.peers.get(other.session);
const live = (side) => side.made.filter((each) => each.signalingState !== 'closed');
const connected = (...sides) => {
  for (const side of sides) {
    for (const other of sides) {
      if (side !== other) assert.equal(peer(side, other)?.state, 'connected', `${side.session} to ${other.session}`);
    }
    assert.equal(live(side).length, sides.length - 1, `connections of ${side.session}`);
  }
};

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  time = new Time();
  net = new Net();
});

afterEach(() => {
  net.sides.forEach(({ mesh }) => mesh.stop());
  mock.timers.reset();
});

test('twoSessions_onTheSameRoster_areConnectedWithOneOffer', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  connected(a, b);
  assert.deepEqual(net.log.filter((each) => each.includes('offer')), ['b offer a']);
  assert.deepEqual(a.heard.map(([from]) => from), ['b']);
  assert.deepEqual(live(a)[0].configuration.iceServers, [{ urls: ['turn:t'] }]);
});

test('peer_thatNeverSentAPacketOrAgreedToSendNone_onlyListens', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  const [connection] = live(a);
  const [transceiver] = connection.getTransceivers();
  const told = [];
  const look = async (muted, packetsReceived, direction = 'sendrecv') => {
    transceiver.receiver.track = { muted };
    transceiver.currentDirection = direction;
    connection.getStats = async () => new Map([[1, { type: 'inbound-rtp', kind: 'audio', packetsReceived }]]);
    await a.mesh.measure();
    told.push(peer(a, b).listensOnly);
  };
  await look(true, 0);
  await look(false, 0);
  await look(false, 50);
  await look(true, 50);
  await look(false, 50, 'sendonly');
  connection.turns('disconnected');
  await look(true, 0);
  assert.deepEqual(told, [true, false, false, false, true, false]);
});

test('candidates_alsoThoseAheadOfTheirOffer_reachTheOtherSide', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.held = [];
  net.roster();
  await settle();
  net.held.reverse();
  await net.release();
  await settle();
  connected(a, b);
  assert.deepEqual(live(a)[0].candidates, [`of ${live(b)[0].id}`]);
  assert.deepEqual(live(b)[0].candidates, [`of ${live(a)[0].id}`]);
});

test('offers_thatCross_endInOneConnection_thePolitesYields', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.held = [];
  net.roster();
  await settle();
  // The polite side has waited for an offer in vain and makes its own, before the other's arrives.
  await time.pass(2000);
  assert.deepEqual([...new Set(net.log.filter((each) => each.includes('offer')))], ['b offer a', 'a offer b']);
  await net.release();
  await settle();
  connected(a, b);
  assert.ok(a.made.length === 2 && b.made.length === 1, 'only the polite side began again');
});

test('offers_thatCrossAndArriveTheOtherWayRound_endInOneConnection', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.held = [];
  net.roster();
  await time.pass(2000);
  net.held.reverse();
  await net.release();
  await time.pass(3000);
  connected(a, b);
});

test('failureSeenOnBothSides_isHealedByOneRestart_onTheSameConnections', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  for (const side of [a, b]) live(side)[0].turns('failed');
  await time.pass(1000);
  connected(a, b);
  assert.deepEqual([a, b].map((side) => [side.made.length, side.made[0].restarts]), [[1, 0], [1, 1]]);
});

test('failure_thatARestartDoesNotHeal_makesNewConnections', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  const before = [live(a)[0], live(b)[0]];
  // The path is dead for good: whatever these two try fails again.
  before.forEach((each) => each.dies());
  await time.pass(12_000);
  await settle();
  connected(a, b);
  assert.ok(!before.includes(live(a)[0]) && !before.includes(live(b)[0]));
});

test('offer_thatIsNotDelivered_isSentAgain', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.down.add('a');
  net.roster([a, b], [b]);
  await time.pass(3000);
  net.down.clear();
  net.roster([a, b], [a]);
  await time.pass(2000);
  connected(a, b);
});

test('peer_ofANewGeneration_isConnectedAnew_andTheOldConnectionIsGone', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  const [old] = live(b);
  a.mesh.stop();
  const again = net.join('a', 2);
  net.roster();
  await settle();
  connected(again, b);
  assert.equal(old.signalingState, 'closed');
  assert.equal(peer(b, again).generation, 2);
});

test('ownNewGeneration_rebuildsAllConnections', async () => {
  const [a, b, c] = [net.join('a'), net.join('b'), net.join('c')];
  net.roster();
  await settle();
  connected(a, b, c);
  const before = new Set([...b.made]);
  b.generation = 2;
  net.roster();
  await settle();
  connected(a, b, c);
  assert.ok(live(b).every((each) => !before.has(each)));
});

test('offer_ofAGenerationAheadOfTheRoster_isTaken_andTheLateRosterChangesNothing', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  b.generation = 2;
  net.roster([a, b], [b]);
  await settle();
  connected(a, b);
  a.mesh.update({ session: 'a', generation: 1 }, [{ session: 'b', generation: 1, state: 'present' }]);
  a.mesh.update({ session: 'a', generation: 1 }, []);
  await settle();
  connected(a, b);
  net.roster();
  await settle();
  connected(a, b);
});

test('signal_ofAnOlderGeneration_orForAnOlderOne_orBroken_isDropped', async () => {
  const [a, b] = [net.join('a', 2), net.join('b', 2)];
  net.roster();
  await settle();
  const offer = { from: 'x', description: { type: 'offer', sdp: 'pc-x' } };
  a.mesh.receive({ fromSession: 'b', generation: 1, kind: 'offer', payload: JSON.stringify({ ...offer, generation: 2 }) });
  a.mesh.receive({ fromSession: 'b', generation: 2, kind: 'offer', payload: JSON.stringify({ ...offer, generation: 1 }) });
  a.mesh.receive({ fromSession: 'b', generation: 2, kind: 'offer', payload: 'oops' });
  a.mesh.receive({ fromSession: 'b', generation: 2, kind: 'offer', payload: 'null' });
  await settle();
  connected(a, b);
  assert.equal(a.made.length, 1);
});

test('suspendedOrAbsent_peerIsClosed_andBackWhenPresent', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  b.mesh.stop();
  b.state = 'suspended';
  net.roster([a, b], [a]);
  await settle();
  assert.equal(a.mesh.peers.size, 0);
  assert.equal(live(a).length, 0);
  assert.deepEqual(a.heard.at(-1), ['b', null]);
  b.state = 'present';
  net.roster();
  await time.pass(3000);
  connected(a, b);
});

test('bye_closesAtOnce_andTheOtherSideMayComeBackInTheSameGeneration', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  b.mesh.stop();
  await settle();
  assert.equal(peer(a, b).state, 'closed');
  await time.pass(20_000);
  assert.equal(live(a).length, 0, 'nobody is called who said bye');
  net.roster([a, b], [b]);
  await time.pass(2000);
  connected(a, b);
});

test('duplicatesOfEverySignal_changeNothing', async () => {
  const [a, b] = [net.join('a'), net.join('b')];
  for (const side of [a, b]) {
    const { mesh } = side;
    const receive = mesh.receive.bind(mesh);
    mesh.receive = (signal) => {
      receive(signal);
      receive(signal);
    };
  }
  net.roster();
  await settle();
  await time.pass(5000);
  connected(a, b);
  assert.equal(a.made.length, 1);
  assert.equal(b.made.length, 1);
});

test('track_changedWhileConnected_isSentWithoutNegotiatingAnew', async () => {
  const [a, b] = [net.join('a', 1, null), net.join('b')];
  net.roster();
  await settle();
  const signals = net.log.length;
  const track = { of: 'another microphone' };
  a.mesh.setTrack(track);
  await settle();
  assert.equal(live(a)[0].getTransceivers()[0].sender.track, track);
  assert.equal(net.log.length, signals);
  connected(a, b);
});

test('report_isTheBestOfAllPeers_andFailedOnlyWhereAllFailed', async () => {
  const [a, b, c] = [net.join('a'), net.join('b'), net.join('c')];
  assert.deepEqual(a.mesh.report(), { state: 'new', flowing: false });
  net.roster();
  await settle();
  const [one, two] = live(a);
  one.turns('failed');
  assert.equal(a.mesh.report().state, 'connected');
  two.turns('failed');
  assert.equal(a.mesh.report().state, 'failed');
  assert.equal(peer(b, c).state, 'connected');
});

test('report_ofGrowingPackets_isFlowing_andOfStandingOnesNot', async () => {
  const [a] = [net.join('a'), net.join('b')];
  net.roster();
  await settle();
  let packetsReceived = 100;
  live(a)[0].getStats = async () =>
    new Map([
      ['i', { type: 'inbound-rtp', kind: 'audio', packetsReceived, packetsLost: 3, jitter: 0.01 }],
      ['t', { type: 'transport', selectedCandidatePairId: 'p' }],
      ['p', { id: 'p', type: 'candidate-pair', currentRoundTripTime: 0.042 }],
    ]);
  assert.deepEqual(await a.mesh.measure(), { state: 'connected', flowing: true, rttMs: 42, packetsLost: 3 });
  assert.equal((await a.mesh.measure()).flowing, false);
  packetsReceived += 50;
  assert.equal((await a.mesh.measure()).flowing, true);
  assert.equal(a.mesh.peers.get('b').quality, 'good');
});

test('manySessions_withDelaysLossesAndReconnects_areAllConnectedInTheEnd', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e6);
  console.log(`seed ${seed}`);
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let run = 0; run < 15; run++) {
    net.sides.forEach(({ mesh }) => mesh.stop());
    net = new Net();
    const sides = ['a', 'b', 'c', 'd'].map((session) => net.join(session));
    for (let step = 0; step < 12; step++) {
      const side = sides[Math.floor(random() * sides.length)];
      if (random() < 0.3) side.generation++;
      net.down = new Set(sides.map(({ session }) => session).filter(() => random() < 0.3));
      if (random() < 0.4) net.held ??= [];
      net.roster(sides, sides.filter(() => random() < 0.7));
      await time.pass(Math.ceil(random() * 8) * 250);
      if (net.held) {
        net.held.sort(() => random() - 0.5);
        await net.release();
      }
    }
    net.down.clear();
    net.roster();
    await time.pass(60_000, 500);
    connected(...sides);
  }
});
