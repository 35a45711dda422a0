const EVERY_MS = 1000;
/** Longer than a busy page is held up. A hidden page whose timers are held back looks the same, and checks in vain. */
const JUMP_MS = 4000;

/**
 * Calls `onWake(ms)` when this device was asleep for about so long: the wall clock jumped over a timer. Everything
 * that was alive before may be gone, and nothing told. Returns a function that stops it.
 */
export function followSleep(onWake, { now = () => Date.now() } = {}) {
  let last = now();
  const timer = setInterval(() => {
    const passed = now() - last;
    last = now();
    if (passed > EVERY_MS + JUMP_MS) onWake(passed - EVERY_MS);
  }, EVERY_MS);
  return () => clearInterval(timer);
}
