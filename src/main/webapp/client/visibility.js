/**
 * Suspends a session while its page is hidden, as when a phone goes to the background, and takes it up again
 * when the page is back. A page that goes for good leaves. Returns a function that stops all this.
 */
export function followVisibility(session, page = document, frame = window) {
  let suspendedHere = false;
  const change = () => {
    if (page.visibilityState === 'hidden') {
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
  page.addEventListener('visibilitychange', change);
  frame.addEventListener('pagehide', hide);
  frame.addEventListener('online', online);
  return () => {
    page.removeEventListener('visibilitychange', change);
    frame.removeEventListener('pagehide', hide);
    frame.removeEventListener('online', online);
  };
}
