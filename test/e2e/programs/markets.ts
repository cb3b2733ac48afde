import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** When the prices that suites write begin. */
const startMs = Date.UTC(2024, 0, 2);
const hours = 96;
const secondsAQuote = 20;
/** Up for half of it, then down again. */
const swingSeconds = 3_600;
const [low, pipsASwing, pip] = [1.1, 30, 0.0001];

/**
 * Settings of a gateway whose market runs so many times faster than the clock. Its zone is said: derived from quotes, the
 * offset of a market that outruns the clock would change all the time.
 */
export function fastMarket(speed = 600): Record<string, string> {
  return { SIM_SPEED: String(speed), TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };
}

/** Writes a quote of EURUSD, a pip wide, every so many seconds; returns the settings of a gateway that replays them. */
export function replayOf(folder: string, bids: readonly number[], secondsEach: number): { readonly SIM_FEED: string } {
  const quotes = bids.map((bid, index) => {
    const time = new Date(startMs + index * secondsEach * 1_000).toISOString().replace('Z', '+00:00');
    return `${time},${bid.toFixed(5)},${(bid + pip).toFixed(5)}`;
  });
  const file = join(folder, 'eurusd.csv');
  writeFileSync(file, `timestamp,bid,ask\n${quotes.join('\n')}\n`);
  return { SIM_FEED: `replay:${file}` };
}

/**
 * Settings of a gateway whose EURUSD goes up 30 pips and down again every hour of the market, for four days: whatever is
 * to be reached a few pips away is reached soon, at whatever time of the day the suite runs.
 */
export function swingingMarket(folder: string): Record<string, string> {
  const bids = Array.from({ length: (hours * 3_600) / secondsAQuote }, (_, index) => {
    const phase = ((index * secondsAQuote) % swingSeconds) / swingSeconds;
    return low + pipsASwing * pip * (1 - Math.abs(1 - 2 * phase));
  });
  return { ...fastMarket(), ...replayOf(folder, bids, secondsAQuote) };
}
