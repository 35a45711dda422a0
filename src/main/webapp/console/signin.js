import { demoSignIn } from '../huddle.js';
import { enable, show, showError } from '../page/dom.js';
import { pageSession, signInAddress } from '../page/session.js';
import { Admin } from './admin.js';
import { h } from './elements.js';

/**
 * The one place that knows how an operator signs in. `onSignedIn({ admin, subject, signOut })`; the token stays inside
 * `admin`; the demo has nothing to sign out of.
 * Signs in at the organisation's identity provider where the server has one, and else by the demo.
 */
export function signInView(onSignedIn) {
  const subject = h('input', {
    id: 'subject', name: 'subject', required: true, maxlength: '64', pattern: '[^\\s@]+', value: 'on-call',
    autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', 'aria-describedby': 'subject-hint',
  });
  const error = h('p', { class: 'error', role: 'alert', id: 'signin-error', hidden: true });
  const submit = h('button', { class: 'primary', id: 'signin-submit' }, 'Sign in as an operator');
  const form = h(
    'form',
    { class: 'card stack', id: 'signin-form' },
    h('div', { class: 'field' },
      h('label', { for: 'subject' }, 'Pseudonym'),
      subject,
      h('p', { class: 'hint', id: 'subject-hint' }, 'The audit keeps it with everything you do. No e-mail address, no spaces.')),
    error,
    submit,
  );
  const refused = h('p', { class: 'error', role: 'alert', id: 'organisation-error', hidden: true });
  const away = h('button', { type: 'button', class: 'primary', id: 'organisation-signin' }, 'Sign in');
  const organisation = h(
    'div',
    { class: 'card stack', id: 'organisation', hidden: true },
    h('p', {}, 'Sign in with the account that your organisation gave you.'),
    refused,
    away,
  );
  const lead = h(
    'p',
    { class: 'lead', hidden: true },
    'A demo sign-in, for who runs Huddle. Rooms themselves are at ', h('a', { href: '/' }, 'the start page'), '.',
  );
  show(form, false);
  const element = h(
    'section',
    { class: 'narrow', 'aria-labelledby': 'signin-title' },
    h('h1', { id: 'signin-title', tabindex: '-1' }, 'Operators only'),
    lead,
    form,
    organisation,
  );
  let session = null;
  away.addEventListener('click', async () => {
    // Whoever is here with an account that is no operator's comes back with another.
    await session?.signOut?.().catch(() => {});
    location.assign(signInAddress());
  });

  /** Offers the way in that the server has. */
  async function offer() {
    let failed = null;
    try {
      session = await pageSession();
    } catch (error) {
      failed = error;
    }
    if (session?.signedIn && session.groups.includes('operator')) {
      const { token, subject: name, signOut } = session;
      onSignedIn({ admin: new Admin(token), subject: name, signOut: () => signOut().finally(offer) });
      return;
    }
    const demo = !failed && session === null;
    for (const part of [lead, form]) show(part, demo);
    show(organisation, !demo);
    const stranger = session?.signedIn ? { message: 'Your account is not an operator\'s. Sign in with another.' } : null;
    showError(refused, failed ?? stranger);
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-disabled') === 'true') return;
    enable(submit, false);
    showError(error, null);
    try {
      const token = await demoSignIn({ subject: subject.value, groups: ['operator'], teams: [] });
      onSignedIn({ admin: new Admin(token), subject: subject.value });
    } catch (failed) {
      const off = failed.status === 404;
      showError(error, off ? { message: 'Demo sign-in is switched off on this server.' } : failed);
    } finally {
      enable(submit, true);
    }
  });

  offer();

  return { element, title: 'Sign in', enter: () => show(element, true), refresh() {}, exit() {} };
}
