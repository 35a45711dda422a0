import { byId, show, text } from './page/dom.js';
import { lobbyView } from './page/lobby.js';
import { roomView } from './page/room.js';
import { signInView } from './page/signin.js';

let user = null;
let current = null;

const signIn = signInView((signedIn) => {
  user = signedIn;
  route();
});
const lobby = lobbyView((room) => go(`/?room=${encodeURIComponent(room)}`));
const room = roomView((title) => titled(title));

/** Shows the view that the address and the sign-in call for. */
function route({ focus = true } = {}) {
  const id = new URLSearchParams(location.search).get('room');
  current?.exit();
  current = !user ? signIn : id ? room : lobby;
  show(byId('who'), Boolean(user));
  text(byId('who-subject'), user?.subject ?? '');
  text(byId('who-team'), user ? `team ${user.team}` : '');
  current.enter(user, id);
  titled(current === room ? 'Room' : current === lobby ? 'Open huddles' : '');
  if (focus) current.title().focus();
}

function go(address) {
  history.pushState(null, '', address);
  route();
}

function titled(title) {
  document.title = title ? `${title} · Huddle` : 'Huddle';
}

for (const link of [byId('home'), byId('back')]) {
  link.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go('/');
  });
}

byId('sign-out').addEventListener('click', () => {
  user?.signOut?.();
  user = null;
  go('/');
});
window.addEventListener('popstate', () => route());
route({ focus: false });
