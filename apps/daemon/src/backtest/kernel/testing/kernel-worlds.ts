import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../seeded';

/** Prices and terms of a broker. */
export interface KernelWorld {
  readonly name: string;
  readonly symbol: string;
  readonly timeframe: string;
  readonly files: readonly string[];
  readonly broker: Readonly<Record<string, string>>;
  /** Opens of its bars, in UTC milliseconds. */
  readonly opensMs: readonly number[];
  /** Digits of prices, and the usual height of a bar in points. */
  readonly digits: number;
  readonly height: number;
}

interface WorldPlan {
  readonly name: string;
  readonly symbol: string;
  readonly digits: number;
  readonly price: number;
  readonly height: number;
  readonly spread: number;
  readonly startMs: number;
  readonly barMs: number;
  readonly bars: number;
  /** Whether a minute has no prices, or none follow for long. */
  readonly isClosed: (timeMs: number) => boolean;
  readonly broker: Readonly<Record<string, string>>;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** From Friday 22:00 UTC to Sunday 22:00. */
function isWeekend(timeMs: number): boolean {
  const week = (timeMs + 3 * dayMs) % (7 * dayMs);
  return week >= 4 * dayMs + 22 * hourMs && week < 6 * dayMs + 22 * hourMs;
}

const plans: readonly WorldPlan[] = [
  {
    ...{ name: 'minutes over a weekend', symbol: 'EURUSD', digits: 5, price: 1.1, height: 30, spread: 8 },
    ...{ startMs: Date.UTC(2024, 0, 12, 18), barMs: minuteMs, bars: 700, isClosed: isWeekend },
    broker: { SIM_COMMISSION: '3.5', SIM_SWAP: '-6.5:1.2' },
  },
  {
    ...{ name: 'minutes with gaps, slippage and touched limits', symbol: 'GBPUSD', digits: 5, price: 1.27, height: 45 },
    ...{ spread: 12, startMs: Date.UTC(2024, 2, 12, 19), barMs: minuteMs, bars: 700 },
    isClosed: (timeMs) => Math.floor(timeMs / minuteMs / 7) % 5 === 0,
    broker: { SIM_SLIPPAGE: '2', SIM_LIMIT_FILL: 'touch', SIM_COMMISSION: '0.07' },
  },
  {
    ...{ name: 'yen over the triple swap', symbol: 'USDJPY', digits: 3, price: 148, height: 35, spread: 10 },
    ...{ startMs: Date.UTC(2024, 1, 14, 19), barMs: minuteMs, bars: 700, isClosed: isWeekend, broker: {} },
  },
  {
    ...{
      name: 'a fixed spread and an account in yen',
      symbol: 'USDJPY',
      digits: 3,
      price: 151,
      height: 35,
      spread: 10,
    },
    ...{ startMs: Date.UTC(2024, 3, 10, 19), barMs: minuteMs, bars: 700, isClosed: () => false },
    broker: { SIM_SPREAD: '7', SIM_CURRENCY: 'JPY', SIM_COMMISSION: '410.3' },
  },
  {
    ...{ name: 'hours over the end of summer time', symbol: 'EURUSD', digits: 5, price: 1.06, height: 160, spread: 9 },
    ...{ startMs: Date.UTC(2023, 9, 24), barMs: hourMs, bars: 700, isClosed: isWeekend },
    broker: { SIM_SWAP: '3.1:-8', SIM_LEVERAGE: '500' },
  },
];

/** The worlds with their price files, the same with each call. */
export function kernelWorlds(): readonly KernelWorld[] {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-worlds-'));
  return plans.map((plan, index) => written(plan, join(folder, String(index))));
}

function written(plan: WorldPlan, path: string): KernelWorld {
  const { name, symbol, digits, height, startMs, barMs, bars, broker } = plan;
  const random = seeded(startMs / 1_000);
  const point = 1 / 10 ** digits;
  const normal = (): number => random() + random() + random() - 1.5;
  const rows: { readonly bid: string[]; readonly ask: string[] } = { bid: [], ask: [] };
  let price = Math.round(plan.price / point);
  const opensMs: number[] = [];
  for (let timeMs = startMs; opensMs.length < bars; timeMs += barMs) {
    // Prices move on while the market is closed.
    if (plan.isClosed(timeMs)) {
      price += Math.round(normal() * height * 0.6);
      continue;
    }
    opensMs.push(timeMs);
    const open = price + (random() < 0.1 ? Math.round(normal() * height * 2) : 0);
    const close = open + Math.round(normal() * height);
    const high = Math.max(open, close) + Math.round(random() * height * 0.6);
    const low = Math.min(open, close) - Math.round(random() * height * 0.6);
    const spread = plan.spread + Math.floor(random() * 5);
    const stamp = new Date(timeMs).toISOString().slice(0, 19);
    const row = (above: number): string =>
      [stamp, ...[open, high, low, close].map((points) => ((points + above) * point).toFixed(digits))].join(',');
    rows.bid.push(row(0));
    rows.ask.push(row(spread));
    price = close;
  }
  const files = (['bid', 'ask'] as const).map((side) => {
    const file = `${path}-${symbol.toLowerCase()}-${side}.csv`;
    writeFileSync(file, `timestamp,open,high,low,close\n${rows[side].join('\n')}\n`);
    return `${symbol}=${file}`;
  });
  const timeframe = barMs === minuteMs ? 'M1' : 'H1';
  return { name, symbol, timeframe, files, broker, opensMs, digits, height };
}
