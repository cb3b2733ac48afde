import { assets } from '../src/market/generated/assets';
import { GeneratedMarket } from '../src/market/generated/generated-market';
import { QuoteBlock } from '../src/market/quote-source';
import { catalogue } from '../src/symbols/catalogue';
import { ServerClock } from '../src/time/server-clock';
import { TradingHours } from '../src/time/trading-hours';

// Bound once: looking globals up is slow in the sandbox that tests run in.
const { max, min } = Math;

const minuteMs = 60_000;
const header = 'timestamp,open,high,low,close';

/** What to generate: a symbol of the simulator's catalogue, over a period, from a seed. */
export interface WantedBars {
  readonly symbol: string;
  /** A year, `2023`, or a month of it, `2023-02`, in UTC. */
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
 * part of its year.
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
  const [, year, month] = /^(20\d\d)(?:-(0[1-9]|1[0-2]))?$/.exec(period) ?? [];
  if (year === undefined)
    throw new Error(`the period "${period}" is neither a year such as 2023 nor a month such as 2023-02`);
  const [first, months] = month === undefined ? [0, 12] : [Number(month) - 1, 1];
  const minuteAt = (at: number): number => Date.UTC(Number(year), at) / minuteMs;
  return { from: minuteAt(first), until: minuteAt(first + months) };
}

/** Open, high, low and close of the prices of one minute. */
function barOf(prices: Float64Array, digits: number): string {
  const bar = [prices[0], max(...prices), min(...prices), prices[prices.length - 1]];
  return bar.map((price = 0) => price.toFixed(digits)).join(',');
}
