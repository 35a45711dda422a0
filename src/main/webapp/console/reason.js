import { byId, showError, text } from '../page/dom.js';

/**
 * Asks for the reason of an action and carries it out: `act(reason)`. Refusals are shown in the dialog, which stays open,
 * so that nobody writes a reason twice. Resolves to true once it is done, to false if it was given up.
 */
export function askReason({ title, explanation, confirm, act }) {
  const dialog = byId('reason-dialog');
  const field = byId('reason');
  const button = byId('reason-confirm');
  text(byId('reason-title'), title);
  text(byId('reason-text'), explanation);
  text(button, confirm);
  field.value = '';
  showError(byId('reason-error'), null);
  const back = document.activeElement;
  return new Promise((resolve) => {
    const asked = new AbortController();
    const { signal } = asked;
    let done = false;
    let busy = false;
    byId('reason-form').addEventListener('submit', async (event) => {
      event.preventDefault();
      const reason = field.value.trim();
      if (busy || !reason) {
        if (!reason) showError(byId('reason-error'), { message: 'Say why: 1 to 200 characters' });
        return;
      }
      busy = true;
      try {
        await act(reason);
        // The dialog may be asking about something else by now.
        if (signal.aborted) return;
        done = true;
        dialog.close();
      } catch (error) {
        if (!signal.aborted) showError(byId('reason-error'), error);
      } finally {
        busy = false;
      }
    }, { signal });
    byId('reason-cancel').addEventListener('click', () => dialog.close(), { signal });
    dialog.addEventListener('close', () => {
      asked.abort();
      if (back?.isConnected) back.focus();
      else byId('view').querySelector('h1')?.focus();
      resolve(done);
    }, { signal });
    dialog.showModal();
    field.focus();
  });
}
