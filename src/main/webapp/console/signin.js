import { demoSignIn } from '../huddle.js';
import { enable, show, showError } from '../page/dom.js';
import { Admin } from './admin.js';
import { h } from './elements.js';

/**
 * The one place that knows how an operator signs in. `onSignedIn({ admin, subject })`; the token stays inside `admin`.
 * Here: the demo's sign-in.
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
  const element = h(
    'section',
    { class: 'narrow', 'aria-labelledby': 'signin-title' },
    h('h1', { id: 'signin-title', tabindex: '-1' }, 'Operators only'),
    h('p', { class: 'lead' }, 'A demo sign-in, for who runs Huddle. Rooms themselves are at ', h('a', { href: '/' }, 'the start page'), '.'),
    form,
  );

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

  return { element, title: 'Sign in', enter: () => show(element, true), refresh() {}, exit() {} };
}
