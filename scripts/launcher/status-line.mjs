import { clearInterval, setInterval } from 'node:timers';

const live = process.stdout.isTTY === true;
const periodMs = 2_000;
const heartbeatMs = 60_000;

/**
 * Shows what the strategies do while the product runs: one line that moves on a terminal; in a log, a line whenever
 * they traded, and once a minute.
 */
export function showStatus(product) {
  let lastShown = '';
  let lastAtMs = 0;
  const ticking = setInterval(async () => {
    const answer = await product.askDaemon('/status');
    if (answer?.status !== 200) return;
    const line = answer.body.map(strategySummary).join(' | ');
    const trades = answer.body.map(({ trades, state }) => `${trades} ${state}`).join();
    const now = performance.now();
    if (live) process.stdout.write(`\r\x1b[K  ${line.slice(0, (process.stdout.columns ?? 80) - 4)}`);
    else if (trades !== lastShown || now - lastAtMs > heartbeatMs) {
      console.log(`  ${line}`);
      lastAtMs = now;
    }
    lastShown = trades;
  }, periodMs);
  return () => {
    clearInterval(ticking);
    if (live) process.stdout.write('\r\x1b[K');
  };
}

/** One strategy in a few words. */
export function strategySummary({
  name,
  state,
  problem,
  haltReason,
  trades,
  realized,
  unrealized,
  positions,
  currencyDigits,
}) {
  const open = (positions ?? []).length;
  const why = haltReason ?? problem;
  return `${name} ${state}${why ? ` (${why})` : ''}: ${trades === 1 ? '1 deal' : `${trades ?? 0} deals`}, realized ${money(realized, currencyDigits)}, ${open} open ${money(unrealized, currencyDigits)}`;
}

function money(amount, digits) {
  return typeof amount === 'number' ? amount.toFixed(digits ?? 2) : '-';
}
