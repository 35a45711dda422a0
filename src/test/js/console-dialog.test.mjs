import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { askReason } from '../../main/webapp/console/reason.js';
import { settle } from './fakes.mjs';

let parts;

/** As much of an element as the dialog needs. */
class Part extends EventTarget {
  textContent = '';
  value = '';
  hidden = true;
  open = false;
  isConnected = true;

  showModal() {
    this.open = true;
  }

  close() {
    if (!this.open) return;
    this.open = false;
    this.dispatchEvent(new Event('close'));
  }

  focus() {}
}

const part = (id) => (parts[id] ??= new Part());

beforeEach(() => {
  parts = {};
  globalThis.document = { getElementById: part, activeElement: null };
  part('view').querySelector = () => part('title');
});

afterEach(() => {
  delete globalThis.document;
});

/** Asks, types and confirms; the action ends when the test says so. */
function ask(title) {
  const asked = {};
  const act = () => new Promise((resolve, reject) => Object.assign(asked, { succeeds: resolve, fails: reject }));
  asked.done = askReason({ title, explanation: title, confirm: title, act });
  asked.confirm = () => {
    part('reason').value = 'why';
    part('reason-form').dispatchEvent(new Event('submit'));
  };
  return asked;
}

/** The server was slow, the operator gave up and removed somebody else; the first answer closed the second dialog. */
test('action_givenUpAndDoneAllTheSame_leavesTheNextDialogOpen', async () => {
  const first = ask('first');
  first.confirm();
  part('reason-dialog').close();
  assert.equal(await first.done, false);

  const second = ask('second');
  first.succeeds();
  await settle();
  assert.equal(part('reason-dialog').open, true);

  second.confirm();
  second.succeeds();
  assert.equal(await second.done, true);
  assert.equal(part('reason-dialog').open, false);
});

/** The refusal of the first was told in the dialog of the second. */
test('action_givenUpAndRefused_tellsNothingInTheNextDialog', async () => {
  const first = ask('first');
  first.confirm();
  part('reason-dialog').close();
  await first.done;

  const second = ask('second');
  first.fails(new Error('The session has another generation'));
  await settle();
  assert.equal(part('reason-error').textContent, '');

  second.confirm();
  second.fails(new Error('The room is closed'));
  await settle();
  assert.match(part('reason-error').textContent, /The room is closed/);
  assert.equal(part('reason-dialog').open, true);
});
