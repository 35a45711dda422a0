import { Api, demoSignIn } from '../huddle.js';
import { byId, enable, show, showError } from './dom.js';

/** The demo sign-in. `onSignedIn({ api, subject, team })`; the token stays inside the Api. */
export function signInView(onSignedIn) {
  const subject = byId('subject');
  const submit = byId('signin-submit');

  const suggest = () => {
    const [number] = crypto.getRandomValues(new Uint16Array(1));
    subject.value = `clinician-${number.toString(16).padStart(4, '0')}`;
  };
  byId('another').addEventListener('click', suggest);
  suggest();

  byId('signin-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-disabled') === 'true') return;
    enable(submit, false);
    showError(byId('signin-error'), null);
    const team = byId('team').value;
    try {
      const token = await demoSignIn({ subject: subject.value, groups: ['participant'], teams: [team] });
      onSignedIn({ api: new Api({ token }), subject: subject.value, team });
    } catch (error) {
      const off = error.status === 404;
      showError(byId('signin-error'), off ? { message: 'Demo sign-in is switched off on this server.' } : error);
    } finally {
      enable(submit, true);
    }
  });

  return {
    enter: () => show(byId('view-signin'), true),
    exit: () => show(byId('view-signin'), false),
    title: () => byId('signin-title'),
  };
}
