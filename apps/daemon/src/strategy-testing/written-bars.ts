import { Decimal } from 'decimal.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BacktestRefusedError } from '../backtest/period';
import type { TestBar } from './options';

const minuteMs = 60_000;

interface Row {
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/**
 * Writes the bars of a test to price files. The price stands at the first open for a while before the first bar, so that the
 * strategy receives that bar too, and at the last close for a minute after the last bar, so that the last bar closes.
 * @param name what the caller calls the bars, for errors
 * @param leadMinutes minutes before the first bar
 * @returns the paths of bids and asks, which are the same prices
 * @throws BacktestRefusedError naming the bar that cannot be used
 */
export function writeTestBars(
  folder: string,
  symbol: string,
  name: string,
  bars: readonly TestBar[],
  startMs: number,
  leadMinutes: number,
): readonly string[] {
  const rows = rowsOf(name, bars, startMs);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) throw new BacktestRefusedError(`${name} must have at least one bar`);
  const lead = Array.from({ length: leadMinutes }, (_, minute) =>
    still(first.timeMs - (leadMinutes - minute) * minuteMs, first.open),
  );
  const lines = [...lead, ...rows, still(last.timeMs + minuteMs, last.close)].map(lineOf);
  const text = `timestamp,open,high,low,close\n${lines.join('\n')}\n`;
  return ['bid', 'ask'].map((side) => {
    const path = join(folder, `${symbol}-${side}.csv`);
    writeFileSync(path, text);
    return `${symbol}=${path}`;
  });
}

function rowsOf(name: string, bars: readonly TestBar[], startMs: number): readonly Row[] {
  let nextMs = startMs;
  return bars.map((bar, index) => {
    const row = rowOf(bar, `${name}[${index}]`, nextMs);
    if (index > 0 && row.timeMs < nextMs) {
      throw new BacktestRefusedError(
        `${name}[${index}].time ${new Date(row.timeMs).toISOString()} is not after the bar before it`,
      );
    }
    nextMs = row.timeMs + minuteMs;
    return row;
  });
}

function rowOf(bar: TestBar, at: string, nextMs: number): Row {
  const [open, high, low, close] = isTuple(bar) ? bar : [bar.open, bar.high, bar.low, bar.close];
  const prices = { open, high, low, close };
  for (const [field, price] of Object.entries(prices)) {
    if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) {
      throw new BacktestRefusedError(`${at}.${field} must be a number above 0, not ${String(price)}`);
    }
  }
  for (const [field, price] of Object.entries(prices)) {
    if (price > high) throw new BacktestRefusedError(`${at}.high ${high} is below ${field} ${price}`);
    if (price < low) throw new BacktestRefusedError(`${at}.low ${low} is above ${field} ${price}`);
  }
  const time = isTuple(bar) ? undefined : bar.time;
  return { ...prices, timeMs: time === undefined ? nextMs : utcMinute(`${at}.time`, time) };
}

function isTuple(bar: TestBar): bar is readonly [number, number, number, number] {
  return Array.isArray(bar);
}

/** UTC if no offset is given. @throws BacktestRefusedError unless it is the start of a minute */
export function utcMinute(name: string, text: string): number {
  const withDate = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  const ms = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(withDate) ? withDate : `${withDate}Z`);
  if (Number.isNaN(ms) || ms % minuteMs !== 0) {
    throw new BacktestRefusedError(`${name} must be a whole minute such as 2024-01-08T10:00, not ${text}`);
  }
  return ms;
}

function still(timeMs: number, price: number): Row {
  return { timeMs, open: price, high: price, low: price, close: price };
}

function lineOf({ timeMs, open, high, low, close }: Row): string {
  const time = new Date(timeMs).toISOString().replace('Z', '+00:00');
  return [time, ...[open, high, low, close].map((price) => new Decimal(price).toFixed())].join(',');
}
