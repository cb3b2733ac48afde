import { clearInterval, setInterval } from 'node:timers';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const live = process.stdout.isTTY === true;

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1_000).toFixed(0)} s`;

/**
 * Runs a long step and shows its progress: a moving line on a terminal, a line every ten seconds in a log. Prints how
 * it ended, and returns its result or throws its error.
 */
export async function step(title, work) {
  const started = performance.now();
  let frame = 0;
  if (!live) console.log(`… ${title}`);
  const ticking = setInterval(
    () => {
      frame += 1;
      if (live) process.stdout.write(`\r\x1b[K${frames[frame % frames.length]} ${title}  ${seconds(started)}`);
      else console.log(`  still running: ${title}, ${seconds(started)}`);
    },
    live ? 100 : 10_000,
  );
  const finish = (mark) => {
    clearInterval(ticking);
    console.log(`${live ? '\r\x1b[K' : ''}${mark} ${title}  (${seconds(started)})`);
  };
  try {
    const result = await work();
    finish('✓');
    return result;
  } catch (error) {
    finish('✗');
    throw error;
  }
}
