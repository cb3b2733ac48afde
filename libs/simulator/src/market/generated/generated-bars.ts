import { catalogue } from '../../symbols/catalogue';
import { ServerClock } from '../../time/server-clock';
import { TradingHours } from '../../time/trading-hours';
import { QuoteBlock } from '../../quotes/quote-source';
import { assets } from '../../symbols/assets';
import { GeneratedMarket } from './generated-market';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { max, min } = Math;

const minuteMs = 60_000;
const header = 'timestamp,open,high,low,close';

/** What to generate: a symbol of the simulator's catalogue, over a period, from a seed. */
export interface WantedBars {
  readonly symbol: string;
  /** A year, `2023`, a month of it, `2023-02`, or a day of that, `2023-02-01`, in UTC. */
  readonly period: string;
  readonly seed: number;
}

/** The text of two price files, one-minute bars of bid and of ask, as a replay and a backtest read them. */
export interface GeneratedBars {
  readonly bid: string;
  readonly ask: string;
}

/**
 * Generates the prices of the simulated market in its trading hours. The same arguments give the same bytes, and a month is a
 * part of its year, as a day is of its month.
 * @throws Error naming a symbol or a period that cannot be generated
 */
export function generatedBars({ symbol, period, seed }: WantedBars): GeneratedBars {
  const spec = catalogue.find(({ name }) => name === symbol);
  if (!spec) throw new Error(`there is no symbol ${symbol}; there are ${catalogue.map(({ name }) => name).join(', ')}`);
  const { from, until } = minutesOf(period);
  const hours = new TradingHours(spec.market.schedule, new ServerClock('UTC'));
  const source = new GeneratedMarket(seed, assets, true).source(spec, hours);
  const block = new QuoteBlock();
  const [bids, asks] = [[header], [header]];
  for (let minute = from; minute < until; minute++) {
    source.read(minute, block);
    if (block.count === 0) continue;
    const time = new Date(minute * minuteMs).toISOString().replace('T', ' ').replace('.000Z', '+00:00');
    bids.push(`${time},${barOf(block.bids.subarray(0, block.count), spec.digits)}`);
    asks.push(`${time},${barOf(block.asks.subarray(0, block.count), spec.digits)}`);
  }
  return { bid: `${bids.join('\n')}\n`, ask: `${asks.join('\n')}\n` };
}

/** The first minute of a period since the epoch, and the first one after it. */
function minutesOf(period: string): { readonly from: number; readonly until: number } {
  const [, year, month, day] = /^(20\d\d)(?:-(0[1-9]|1[0-2])(?:-(\d\d))?)?$/.exec(period) ?? [];
  const [first, date] = [Number(month ?? 1) - 1, Number(day ?? 1)];
  const from = new Date(Date.UTC(Number(year), first, date));
  // `Date` accepts 31 February as a day in March.
  if (year === undefined || from.getUTCDate() !== date) {
    throw new Error(
      `the period "${period}" must be a year such as 2023, a month such as 2023-02 or a day such as 2023-02-01`,
    );
  }
  const until = new Date(from);
  if (day !== undefined) until.setUTCDate(date + 1);
  else if (month !== undefined) until.setUTCMonth(first + 1);
  else until.setUTCFullYear(Number(year) + 1);
  return { from: from.getTime() / minuteMs, until: until.getTime() / minuteMs };
}

/** Open, high, low and close of the prices of one minute. */
function barOf(prices: Float64Array, digits: number): string {
  const bar = [prices[0], max(...prices), min(...prices), prices[prices.length - 1]];
  return bar.map((price = 0) => price.toFixed(digits)).join(',');
}
