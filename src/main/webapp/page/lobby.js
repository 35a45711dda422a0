import { newKey, retrying } from '../huddle.js';
import { announce, byId, enable, keyed, show, showError, text } from './dom.js';
import { again, ago, sentence } from './words.js';

const REFRESH_MS = 5000;
const PAGE = 20;

/** The open rooms of the team, and starting one. `onOpen(room)` with the id of the room to go to. */
export function lobbyView(onOpen) {
  const submit = byId('create-submit');
  let user = null;
  let timer = null;
  let pages = 1;

  async function read() {
    const items = [];
    let cursor;
    for (let page = 0; page < pages; page++) {
      const query = { team: user.team, state: 'open', limit: PAGE, ...(cursor && { cursor }) };
      const answer = await user.api.rooms(query);
      items.push(...answer.items);
      cursor = answer.next;
      if (!cursor) break;
    }
    return { items, more: Boolean(cursor) };
  }

  async function refresh() {
    clearTimeout(timer);
    const asked = user;
    try {
      const { items, more } = document.hidden ? {} : await read();
      if (user !== asked) return;
      if (items) draw(items, more);
      showError(byId('lobby-error'), null);
    } catch (error) {
      if (user === asked) showError(byId('lobby-error'), error);
    }
    if (user && user === asked) timer = setTimeout(refresh, REFRESH_MS);
  }

  function draw(items, more) {
    keyed(byId('rooms'), items, (room) => room.id, byId('room-row'), (node, room) => {
      node.querySelector('a').href = `/?room=${encodeURIComponent(room.id)}`;
      text(node.querySelector('.name'), room.label || room.occurrence);
      show(node.querySelector('.critical'), room.critical);
      const by = room.createdBy === user.subject ? 'you' : room.createdBy;
      const facts = [room.label && room.occurrence, `by ${by}`, ago(room.createdAt, Date.now())];
      text(node.querySelector('.facts'), facts.filter(Boolean).join(' · '));
    });
    show(byId('rooms-empty'), items.length === 0);
    show(byId('more'), more);
  }

  async function create() {
    const label = byId('label').value.trim();
    const room = { team: user.team, occurrence: byId('occurrence').value.trim(), ...(label && { label }) };
    // One key a press: its retries find the same room, the next press asks anew.
    const key = newKey();
    const { api } = user;
    const onWait = (error, ms) => {
      showError(byId('create-error'), { message: `${sentence(error.message)} ${sentence(again(ms, 0))}` });
    };
    try {
      return (await retrying(() => api.createRoom(room, key), { onWait })).id;
    } catch (error) {
      if (error.code !== 'room-exists') throw error;
      announce('This standup has a huddle already: opening it.');
      return error.members.room;
    }
  }

  byId('create-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-disabled') === 'true') return;
    enable(submit, false);
    showError(byId('create-error'), null);
    const asked = user;
    try {
      const id = await create();
      if (user !== asked) return;
      showError(byId('create-error'), null);
      byId('label').value = '';
      onOpen(id);
    } catch (error) {
      showError(byId('create-error'), error);
    } finally {
      enable(submit, true);
    }
  });

  byId('rooms').addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(link.closest('li').dataset.key);
  });

  byId('more').addEventListener('click', () => {
    pages++;
    refresh();
  });

  document.addEventListener('visibilitychange', () => {
    if (user && !document.hidden) refresh();
  });

  return {
    enter(signedIn) {
      user = { ...signedIn };
      pages = 1;
      byId('rooms').replaceChildren();
      show(byId('rooms-empty'), false);
      byId('occurrence').value ||= `standup-${new Date().toLocaleDateString('sv')}`;
      text(byId('empty-team'), user.team);
      show(byId('view-lobby'), true);
      refresh();
    },
    exit() {
      user = null;
      clearTimeout(timer);
      show(byId('view-lobby'), false);
    },
    title: () => byId('lobby-title'),
  };
}
