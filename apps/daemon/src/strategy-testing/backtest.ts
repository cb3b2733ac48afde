import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Stream } from '@libs/strategy';
import { sum } from '../backtest/exact-sum';
import { BacktestRefusedError } from '../backtest/period';
import { roundTrips } from '../backtest/round-trips';
import { runBacktest, type BacktestOptions, type BacktestResult } from '../backtest/run-backtest';
import type { StrategySpec } from '../core/strategy-spec';
import { timeframeMs } from '../core/event-time';
import type { TestBar, TestOptions, TestRun } from './options';
import { utcMinute, writeTestBars } from './written-bars';

const usual = { symbol: 'EURUSD', timeframe: 'M1', capital: 10_000, start: '2024-01-08T00:00' };

/** Bars of the longest timeframe before the first bar, with a constant price, so that no stream begins with a cut bar. */
const barsBefore = 2;

/**
 * Runs a strategy file over prices: the backtest of the daemon, with the same bundler, rules and simulated broker, in a
 * worker thread. The same arguments give the same run.
 *
 * The strategy receives every bar that is written in `bars`. Before the first bar the price is its open, and after the
 * last bar its close.
 * @param strategy the strategy file: a path from the working directory, or a file URL
 * @throws Error naming the option that cannot be used, the problem of the file, or what the strategy threw, with the lines
 *   of its own file
 */
export async function backtest(strategy: string | URL, options: TestOptions): Promise<TestRun> {
  const streams = streamsOf(options);
  const capital = options.capital ?? usual.capital;
  if (!(Number.isFinite(capital) && capital > 0)) {
    throw new BacktestRefusedError(`capital must be a number above 0, not ${String(capital)}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'strategy-test-'));
  try {
    const leadMs = options.bars === undefined ? 0 : barsBefore * longestMs(streams);
    const files = filesOf(options, streams, folder, leadMs);
    const spec = specOf(pathOf(strategy), streams, capital, options.params ?? {});
    const { latencyMs = 0, state } = options;
    const kept = state && { state: { version: state.version, json: JSON.stringify(state.value) } };
    const broker = brokerOf(options);
    return runOf(
      await runBacktest({ spec, files, fromMs: null, toMs: null, leadMs, latencyMs, broker, ...kept }),
      capital,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runOf(result: BacktestResult, capital: number): TestRun {
  const { fills, rejects, logs, positions, orders, costs, bars } = result;
  return {
    fills,
    rejects,
    positions,
    orders,
    bars,
    logs: logs.map(({ timeMs, message, details }) => ({ timeMs, message, details })),
    trades: roundTrips(fills, costs),
    state: result.state === null ? null : JSON.parse(result.state.json),
    equity: sum([capital, result.realized, result.unrealized]),
    netProfit: result.realized,
  };
}

function streamsOf({ streams, symbol = usual.symbol, timeframe = usual.timeframe, bars }: TestOptions): Stream[] {
  const symbols = bars !== undefined && !isList(bars) ? Object.keys(bars) : [];
  const only = symbols.length === 1 ? symbols[0] : undefined;
  return Object.entries(streams ?? { main: `${only ?? symbol}@${timeframe}` }).map(([alias, text]) => {
    const [, name, frame] = /^([^@]+)@([A-Za-z0-9]+)$/.exec(text) ?? [];
    if (name === undefined || frame === undefined || timeframeMs(frame.toUpperCase()) === null) {
      throw new BacktestRefusedError(
        `streams.${alias} must have the form EURUSD@M1, with a timeframe from M1 to W1, not ${text}`,
      );
    }
    return { alias, symbol: name, timeframe: frame.toUpperCase(), broker: 'backtest' };
  });
}

function longestMs(streams: readonly Stream[]): number {
  return Math.max(...streams.map(({ timeframe }) => timeframeMs(timeframe) ?? 0));
}

function filesOf(
  { bars, files, start = usual.start }: TestOptions,
  streams: readonly Stream[],
  folder: string,
  leadMs: number,
) {
  if ((bars === undefined) === (files === undefined)) {
    throw new BacktestRefusedError('a test needs either bars or files');
  }
  if (bars === undefined) return (files ?? []).map(pricesOf);
  const startMs = utcMinute('start', start);
  return Object.entries(barsBySymbol(bars, streams)).flatMap(([symbol, own]) => {
    const name = isList(bars) ? 'bars' : `bars.${symbol}`;
    return writeTestBars(folder, symbol, name, own, startMs, leadMs / 60_000);
  });
}

function barsBySymbol(
  bars: NonNullable<TestOptions['bars']>,
  streams: readonly Stream[],
): Readonly<Record<string, readonly TestBar[]>> {
  if (!isList(bars)) return bars;
  const symbols = [...new Set(streams.map(({ symbol }) => symbol))];
  const [symbol = usual.symbol] = symbols;
  if (symbols.length === 1) return { [symbol]: bars };
  throw new BacktestRefusedError(`bars must be given by symbol: the streams are of ${symbols.join(' and ')}`);
}

function brokerOf({ bars, spread, commission, slippage, broker }: TestOptions): BacktestOptions['broker'] & object {
  const points = spread ?? (bars === undefined ? undefined : 0);
  const terms = { SIM_SPREAD: points, SIM_COMMISSION: commission, SIM_SLIPPAGE: slippage };
  const set = Object.entries(terms).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return { ...broker, ...(Object.fromEntries(set) as Record<string, string>) };
}

function specOf(
  module: string,
  streams: readonly Stream[],
  capital: number,
  params: Readonly<Record<string, unknown>>,
): StrategySpec {
  return {
    name: 'test',
    module,
    magic: 1,
    streams,
    capital,
    params,
    portfolio: null,
    workerGroup: null,
    onMismatch: 'halt',
    risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
  };
}

function isList(bars: NonNullable<TestOptions['bars']>): bars is readonly TestBar[] {
  return Array.isArray(bars);
}

function pathOf(file: string | URL): string {
  return typeof file === 'string' && !file.startsWith('file:') ? resolve(file) : fileURLToPath(file);
}

/** `GBPUSD=file.csv` sets the symbol of a price file, as in SIM_FEED. */
function pricesOf(file: string | URL): string {
  return typeof file === 'string' && /^[A-Za-z0-9._#]+=/.test(file) ? file : pathOf(file);
}
