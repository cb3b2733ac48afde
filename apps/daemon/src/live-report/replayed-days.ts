import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import type { SymbolRecord } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import type { BacktestResult } from '../backtest/backtest-result';
import { backtestBarWaitMs, backtestLimits, backtestSettings } from '../backtest/backtest.config';
import { runBacktest } from '../backtest/run-backtest';
import { timeframeMs } from '../core/timeframe';
import type { StrategySpec } from '../core/strategy-spec';
import { pullPrices } from '../price-data/pull-prices';
import { symbolFile } from '../price-data/symbol-specification';
import { bundleStrategy, type Bundle } from '../strategies/strategy-bundler';
import { StrategyThread } from '../strategies/strategy-thread';
import { workerThreads } from '../strategies/worker-threads';
import type { WarmupByStream } from '../strategies/worker/warmup';
import type { ReadAccount } from './live-history';
import type { Span } from './live-trade';

/** The days that a strategy is run over again, and the terms of the simulated broker that flags set. */
export interface Replay {
  readonly spec: StrategySpec;
  /** The account whose prices are read. */
  readonly account: ReadAccount;
  readonly span: Span;
  readonly kind: 'bars' | 'ticks';
  readonly broker: Readonly<Record<string, string>>;
  readonly latencyMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (share: number) => void;
}

export interface ReplayedDays {
  readonly result: BacktestResult;
  readonly symbols: readonly SymbolRecord[];
}

const minuteMs = 60_000;
const monthMs = 31 * 86_400_000;
/** Bars before the period cover more time than they last: nights and weekends have none. */
const pauses = { factor: 1.5, extraMs: 4 * 86_400_000 };
const limits = { watchdogMs: 30_000, maxHeapMb: 512 };

/**
 * Runs a strategy in the backtest engine over the prices that its gateway has of some days, with the account's currency and
 * leverage and the symbols as the gateway specifies them.
 * @throws GatewayReadError, and what a pull of prices and a backtest throw
 */
export async function replayDays(replay: Replay): Promise<ReplayedDays> {
  const { spec, account, span, kind, broker, latencyMs, env, onProgress } = replay;
  const { reads } = account.session.client;
  const bundle = await bundleStrategy(spec.module);
  const warmUpMs = warmUpTime(spec.streams, await warmupOf(spec, bundle));
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  try {
    const files: string[] = [];
    const symbols: SymbolRecord[] = [];
    for (const symbol of new Set(spec.streams.map((stream) => stream.symbol))) {
      symbols.push(await reads.symbolInfo(symbol));
      const fromMs = Math.floor((span.fromMs - warmUpMs) / minuteMs) * minuteMs;
      const order = { symbol, kind, fromMs, toMs: span.toMs, folder: join(folder, symbol) } as const;
      const pulled = await pullPrices(reads, order, onProgress);
      files.push(...pulled.files.map((file) => `${symbol}=${file}`));
    }
    const symbolPath = join(folder, 'symbols.json');
    writeFileSync(symbolPath, symbolFile(symbols));
    const { currency, leverage } = account.account;
    const terms = { SIM_CURRENCY: currency, SIM_LEVERAGE: String(leverage), SIM_SYMBOLS: symbolPath };
    const result = await runBacktest({
      spec: { ...spec, streams: spec.streams.map((stream) => ({ ...stream, broker: 'backtest' })) },
      ...{ files, fromMs: span.fromMs, toMs: span.toMs, latencyMs, acceptFaulty: true, bundle },
      broker: { ...backtestSettings(env), ...terms, ...broker },
      ...{ limits: backtestLimits(env), barWaitMs: backtestBarWaitMs(env), onProgress },
    });
    return { result, symbols };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many bars the strategy warms up with. @throws StrategyRefusedError, ThreadLostError */
async function warmupOf({ name, params, streams }: StrategySpec, bundle: Bundle): Promise<WarmupByStream> {
  const thread = new StrategyThread(await workerThreads(), limits, new SystemClock());
  try {
    return (await thread.load({ name, ...bundle, params, streams, idPrefix: '', state: null })).warmupBars;
  } finally {
    await thread.end();
  }
}

/** Time before the period whose prices have as many bars, and those that the start cuts. */
function warmUpTime(streams: readonly Stream[], warmupBars: WarmupByStream): number {
  const times = streams.map(({ alias, timeframe }) => {
    return ((warmupBars[alias] ?? 0) + 2) * (timeframeMs(timeframe) ?? monthMs);
  });
  return Math.max(...times) * pauses.factor + pauses.extraMs;
}
