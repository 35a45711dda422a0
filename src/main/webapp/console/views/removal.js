import { announce } from '../../page/dom.js';
import { askReason } from '../reason.js';

/** Asks why, and ends exactly the generation that was shown. Resolves to true once it is done. */
export async function removal(admin, { session, participant, generation }) {
  const done = await askReason({
    title: `Remove ${participant}?`,
    explanation: `Ends generation ${generation} of ${session} at once. A generation that has joined since stays, and the participant may join again.`,
    confirm: `Remove generation ${generation}`,
    act: (reason) => admin.remove(session, generation, reason),
  });
  if (done) announce(`${participant}, generation ${generation}, was removed.`);
  return done;
}
