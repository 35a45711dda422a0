/**
 * Suspends a session while its page is hidden, as when a phone goes to the background, and takes it up again
 * when the page is back. Where `stays()` is true, as for a laptop that goes on talking behind another window, being
 * hidden changes nothing. A page that goes for good leaves. What the browser says of the network is a hint to look.
 * Returns a function that stops all this.
 */
export function followVisibility(session, { page = document, frame = window, stays = () => false } = {}) {
  let suspendedHere = false;
  const change = () => {
    if (page.visibilityState === 'hidden') {
      if (stays()) return;
      suspendedHere = session.state === 'in';
      session.suspend({ keepalive: true });
    } else if (suspendedHere) {
      suspendedHere = false;
      session.resume();
    }
  };
  const hide = (event) => {
    // A page kept for going back to may return; it stays suspended.
    if (!event.persisted) session.leave({ keepalive: true });
  };
  const online = () => session.hurry();
  const offline = () => session.check();
  page.addEventListener('visibilitychange', change);
  frame.addEventListener('pagehide', hide);
  frame.addEventListener('online', online);
  frame.addEventListener('offline', offline);
  return () => {
    page.removeEventListener('visibilitychange', change);
    frame.removeEventListener('pagehide', hide);
    frame.removeEventListener('online', online);
    frame.removeEventListener('offline', offline);
  };
}
