import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import type { SymbolRecord } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import { backtestBarWaitMs, backtestLimits, backtestSettings } from '../backtest/backtest.config';
import type { PortfolioResult } from '../backtest/portfolio-result';
import { runPortfolio } from '../backtest/run-portfolio';
import { timeframeMs } from '../core/event-time';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import { brokerZone } from '../price-data/broker-zone';
import { pullPrices } from '../price-data/pull-prices';
import { symbolFile } from '../price-data/symbol-specification';
import { bundleStrategy } from '../strategies/strategy-bundler';
import { StrategyRefusedError, StrategyThread } from '../strategies/strategy-thread';
import { workerThreads } from '../strategies/worker-threads';
import type { BarsByStream } from '../strategies/worker/warmup';
import type { ReadAccount } from './live-history';
import type { Span } from './live-trade';
import type { ReceivedDays } from './received-bars';

/** The days that strategies are run over again, and the terms of the simulated broker that flags set. */
export interface Replay {
  /** A single strategy is a portfolio of its own without limits. */
  readonly portfolio: PortfolioSpec;
  readonly strategies: readonly StrategySpec[];
  /** The account whose prices are read. */
  readonly account: ReadAccount;
  readonly span: Span;
  /** What each strategy received in this time; the bars of all other times are made from the prices. */
  readonly received: readonly ReceivedDays[];
  readonly kind: 'bars' | 'ticks';
  readonly broker: Readonly<Record<string, string>>;
  readonly latencyMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (share: number) => void;
}

export interface ReplayedDays {
  readonly result: PortfolioResult;
  readonly symbols: readonly SymbolRecord[];
  /** Zone of the clock of the simulated broker; null: the usual one, because the broker's is not known. */
  readonly zone: string | null;
}

const minuteMs = 60_000;
const monthMs = 31 * 86_400_000;
/** Bars before the period cover more time than they last: nights and weekends have none. */
const pauses = { factor: 1.5, extraMs: 4 * 86_400_000 };
const limits = { watchdogMs: 30_000, maxHeapMb: 512 };

/**
 * Runs strategies in the backtest engine, on one account, over the prices that their gateway has of some days, with the
 * account's currency and leverage and the symbols as the gateway specifies them. Each strategy gets the bars that it received
 * live, as far as they are known. A handler that throws counts as live.
 * @throws GatewayReadError, and what a pull of prices and a backtest of a portfolio throw
 */
export async function replayDays(replay: Replay): Promise<ReplayedDays> {
  const { portfolio, strategies, account, span, received, kind, broker, latencyMs, env, onProgress } = replay;
  const { reads } = account.session.client;
  const warmUpMs = await longestWarmUp(strategies);
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  try {
    const files: string[] = [];
    const symbols: SymbolRecord[] = [];
    for (const symbol of new Set(strategies.flatMap(({ streams }) => streams.map((stream) => stream.symbol)))) {
      symbols.push(await reads.symbolInfo(symbol));
      const fromMs = Math.floor((span.fromMs - warmUpMs) / minuteMs) * minuteMs;
      const order = { symbol, kind, asks: 'spread', fromMs, toMs: span.toMs, folder: join(folder, symbol) } as const;
      const pulled = await pullPrices(reads, order, { reached: onProgress });
      files.push(...pulled.files.map((file) => `${symbol}=${file}`));
    }
    const symbolPath = join(folder, 'symbols.json');
    writeFileSync(symbolPath, symbolFile(symbols));
    const { currency, leverage } = account.account;
    const terms = { SIM_CURRENCY: currency, SIM_LEVERAGE: String(leverage), SIM_SYMBOLS: symbolPath };
    const zone = env['SIM_SERVER_TIME_ZONE'] ?? (await brokerZone(reads, symbols[0]?.name ?? ''));
    const clock = zone === null ? {} : { SIM_SERVER_TIME_ZONE: zone };
    const result = await runPortfolio({
      portfolio,
      strategies: strategies.map((spec) => ({ ...spec, streams: spec.streams.map(onBacktest) })),
      received: new Map(received.map(({ name, streams }) => [name, streams])),
      files,
      fromMs: span.fromMs,
      toMs: span.toMs,
      latencyMs,
      acceptFaulty: true,
      broker: { ...backtestSettings(env), ...clock, ...terms, ...broker },
      limits: backtestLimits(env),
      barWaitMs: backtestBarWaitMs(env),
      onProgress,
    });
    return { result, symbols, zone };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function onBacktest(stream: Stream): Stream {
  return { ...stream, broker: 'backtest' };
}

/** Time before the period that the strategies warm up with, in milliseconds. @throws StrategyRefusedError, ThreadLostError */
async function longestWarmUp(strategies: readonly StrategySpec[]): Promise<number> {
  const times: number[] = [];
  for (const spec of strategies) {
    try {
      times.push(warmUpTime(spec.streams, await warmupOf(spec)));
    } catch (error) {
      throw error instanceof StrategyRefusedError ? new StrategyRefusedError(`${spec.name}: ${error.message}`) : error;
    }
  }
  return Math.max(...times);
}

/** How many past bars the strategy needs. @throws StrategyRefusedError, ThreadLostError */
async function warmupOf({ name, module, params, streams }: StrategySpec): Promise<BarsByStream> {
  const bundle = await bundleStrategy(module);
  const thread = new StrategyThread(await workerThreads(), limits, new SystemClock());
  try {
    return (await thread.load({ name, ...bundle, params, streams, idPrefix: '', state: null })).pastBars;
  } finally {
    await thread.end();
  }
}

/** Time before the period whose prices have as many bars, and those that the start cuts. */
function warmUpTime(streams: readonly Stream[], pastBars: BarsByStream): number {
  const times = streams.map(({ alias, timeframe }) => {
    return ((pastBars[alias] ?? 0) + 2) * (timeframeMs(timeframe) ?? monthMs);
  });
  return Math.max(...times) * pauses.factor + pauses.extraMs;
}
