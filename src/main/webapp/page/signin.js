import { Api, demoSignIn, isTransient } from '../huddle.js';
import { announce, byId, enable, show, showError, text } from './dom.js';
import { pageSession, signInAddress } from './session.js';

/** A server that answers sooner than this is not said to be waited for; as in the style of the words that say so. */
const PATIENCE_MS = 400;

/**
 * The sign-in: at the organisation's identity provider where the server has one, else the demo's.
 * `onSignedIn({ api, subject, team, signOut })`; the token stays inside the Api.
 */
export function signInView(onSignedIn) {
  const subject = byId('subject');
  const submit = byId('signin-submit');
  let session = null;

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

  byId('organisation-signin').addEventListener('click', () => location.assign(signInAddress()));

  byId('team-form').addEventListener('submit', (event) => {
    event.preventDefault();
    enter(byId('own-team').value);
  });

  function enter(team) {
    const { subject: name, token, signOut } = session;
    onSignedIn({ api: new Api({ token }), subject: name, team, signOut: () => signOut().finally(offer) });
  }

  byId('ask-again').addEventListener('click', () => {
    // The button goes, and must not take the focus with it.
    byId('signin-title').focus();
    offer();
  });

  /** What the server answers of the sign-in, or the failure to; meanwhile it is said that it is waited for. */
  async function ask() {
    const said = setTimeout(() => announce(byId('waiting').textContent), PATIENCE_MS);
    show(byId('no-answer'), false);
    showError(byId('no-answer-error'), null);
    show(byId('waiting'), true);
    try {
      session = await pageSession();
      return null;
    } catch (error) {
      return error;
    } finally {
      clearTimeout(said);
      show(byId('waiting'), false);
    }
  }

  /** Offers the way in that the server has. */
  async function offer() {
    const failed = await ask();
    if (isTransient(failed)) {
      for (const id of ['signin-lead', 'signin-form', 'organisation', 'team-form']) show(byId(id), false);
      show(byId('no-answer'), true);
      showError(byId('no-answer-error'), failed);
      return;
    }
    const demo = !failed && session === null;
    const teams = session?.teams ?? [];
    for (const id of ['signin-lead', 'signin-form']) show(byId(id), demo);
    show(byId('organisation'), !demo && !(session?.signedIn && teams.length > 0));
    show(byId('team-form'), Boolean(session?.signedIn) && teams.length > 1);
    const homeless = session?.signedIn && teams.length === 0;
    showError(byId('organisation-error'), failed ?? (homeless ? { message: 'Your account belongs to no team.' } : null));
    if (teams.length === 1) enter(teams[0]);
    const options = teams.map((team) => {
      const option = document.createElement('option');
      text(option, team);
      return option;
    });
    byId('own-team').replaceChildren(...options);
  }

  offer();

  return {
    enter: () => show(byId('view-signin'), true),
    exit: () => show(byId('view-signin'), false),
    title: () => byId('signin-title'),
  };
}
