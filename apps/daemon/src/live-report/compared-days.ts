import type { Stream } from '@libs/strategy';
import { currencyDigits, type GatewayReads } from '@libs/gateway-client';
import { finestOf } from '../core/bar-sequence';
import { timeframeMs } from '../core/event-time';
import type { StrategySpec } from '../core/strategy-spec';
import { ofBacktest, ofLive, type ComparedTrade } from './compared-trade';
import { compareWithBacktest, joined, type LiveComparison, type Evidence, type Records } from './live-comparison';
import type { LiveHistory, ReadAccount } from './live-history';
import { liveTrades } from './live-trade';
import { RecordedEvidence, type StrategyLines, haltedTime, idleAt, type IdleTime } from './recorded-evidence';
import type { ReplayedDays } from './replayed-days';
import { strategyLines } from './strategy-lines';
import type { StrategyRun } from '../backtest/portfolio-result';
import type { TimedReject } from '../backtest/backtest-result';
import type { PairFacts } from './pair-parts';

/** One strategy beside its backtest. */
export interface ComparedStrategy extends LiveComparison {
  readonly name: string;
}

/** A strategy, or the strategies of a portfolio, beside a backtest of the same days. */
export interface ComparedDays {
  readonly whole: LiveComparison;
  readonly strategies: readonly ComparedStrategy[];
}

const shortestToleranceMs = 60_000;

/**
 * Compares each strategy of a subject with its part of the replay. Trades are paired within a strategy only.
 * @param account the one that all of them trade on
 * @param stateDir null: the clock of the daemon is not that of the market, so its records cannot be matched with entries
 * @throws GatewayReadError
 */
export async function compareDays(
  history: LiveHistory,
  replayed: ReplayedDays,
  { session }: ReadAccount,
  stateDir: string | null,
): Promise<ComparedDays> {
  const live = liveTrades(history.positions).map((trade) => ofLive(trade));
  const quotes = await readFillQuotes(session.client.reads, live);
  const strategies: ComparedStrategy[] = [];
  const moneyDigits = currencyDigits(history.accounts[0]?.account.currency ?? '');
  for (const spec of history.subject.strategies) {
    const run = replayed.result.strategies.find(({ name }) => name === spec.name);
    if (!run) throw new Error(`the backtest has no strategy ${spec.name}`);
    const toleranceMs = toleranceOf(spec);
    const own = live.filter(({ strategy }) => strategy === spec.name);
    const log = stateDir === null ? null : await strategyLines(stateDir, spec.name);
    const comparison = compareWithBacktest(own, ofBacktest(spec.name, run.result), {
      fromMs: history.span.fromMs,
      toleranceMs,
      live: log && recordsOf(history, spec, log, toleranceMs),
      backtest: new BacktestRecords(run, spec.streams, toleranceMs),
      pairFacts: (trade) => ({ ...quotes(trade), worth: worthIn(replayed, trade), moneyDigits }),
    });
    strategies.push({ name: spec.name, ...comparison });
  }
  return { whole: joined(strategies), strategies };
}

/** Entries are the same if they are apart by one bar of the shortest stream. */
function toleranceOf({ streams }: StrategySpec): number {
  return Math.max(shortestToleranceMs, timeframeMs(finestOf(streams)?.timeframe ?? 'M1') ?? 0);
}

function recordsOf(
  { stored }: LiveHistory,
  { name }: StrategySpec,
  log: StrategyLines,
  toleranceMs: number,
): RecordedEvidence {
  const intents = stored.intents.filter(({ strategy }) => strategy === name);
  return new RecordedEvidence(log, intents, toleranceMs);
}

/** What a change of the price by 1 is worth for one lot now. */
function worthIn({ symbols: records }: ReplayedDays, { symbol }: ComparedTrade): number {
  const record = records.find(({ name }) => name === symbol);
  return record && record.trade_tick_size > 0 ? record.trade_tick_value / record.trade_tick_size : 0;
}

/** What of a run says why an entry of the live strategy is missing in it. */
type Run = Pick<StrategyRun, 'halts' | 'failure'> & { readonly result: Pick<StrategyRun['result'], 'rejects'> };

/** What a backtest has on record about entries that it did not make: its rejects, its halts, and its failure. */
export class BacktestRecords implements Records {
  private readonly failure: string | null;
  private readonly halts: readonly IdleTime[];
  private readonly refused: TimedReject[];

  constructor(
    { halts, failure, result }: Run,
    private readonly streams: readonly Stream[],
    private readonly toleranceMs: number,
  ) {
    this.failure = failure;
    this.halts = halts.map(haltedTime);
    this.refused = result.rejects.filter(({ entry }) => entry !== null);
  }

  of(missing: ComparedTrade): Evidence | null {
    if (this.failure !== null) return { cause: 'the backtest failed to warm up', detail: this.failure };
    const index = this.refused.findIndex((reject) => this.isOf(reject, missing));
    const [found] = index === -1 ? [] : this.refused.splice(index, 1);
    if (found) return { cause: `the backtest ${found.kind} it`, detail: found.reason };
    const halt = idleAt(this.halts, missing.openedMs);
    return halt ? { cause: 'the backtest was halted', detail: halt.reason } : null;
  }

  private isOf({ entry, timeMs }: TimedReject, { symbol, side, openedMs }: ComparedTrade): boolean {
    const stream = this.streams.find(({ alias }) => alias === entry?.stream);
    const isNear = Math.abs(timeMs - openedMs) <= this.toleranceMs;
    return isNear && stream?.symbol === symbol && entry?.side === side;
  }
}

/** A quote is looked for that long before a fill. */
const lookBackMs = 60_000;
/** Ticks are read for that many trades at most: each takes two requests. */
const mostTrades = 500;

type FillQuotes = Pick<PairFacts, 'entryQuote' | 'exitQuote'>;

const unknownQuotes: FillQuotes = { entryQuote: null, exitQuote: null };

/**
 * The prices at which the broker would have filled the entries and exits of live trades at the moments of their fills: its last
 * tick before each.
 * @returns by trade; trades beyond the first 500 have none
 * @throws GatewayReadError
 */
async function readFillQuotes(
  reads: GatewayReads,
  trades: readonly ComparedTrade[],
): Promise<(trade: ComparedTrade) => FillQuotes> {
  const quotes = new Map<ComparedTrade, FillQuotes>();
  for (const trade of trades.slice(0, mostTrades)) {
    const { symbol, side, openedMs, closedMs } = trade;
    const entryQuote = await quoteAt(reads, symbol, openedMs, side === 'buy' ? 'ask' : 'bid');
    const exitQuote = closedMs === null ? null : await quoteAt(reads, symbol, closedMs, side === 'buy' ? 'bid' : 'ask');
    quotes.set(trade, { entryQuote, exitQuote });
  }
  return (trade) => quotes.get(trade) ?? unknownQuotes;
}

/** Null without a tick in the minute before. */
async function quoteAt(
  reads: GatewayReads,
  symbol: string,
  timeMs: number,
  price: 'bid' | 'ask',
): Promise<number | null> {
  const ticks = await reads.copyTicksRange(symbol, new Date(timeMs - lookBackMs), new Date(timeMs), 'info');
  const sound = ticks.filter(
    ({ bid, ask, time_utc: time }) => bid > 0 && ask > 0 && time !== null && Date.parse(time) <= timeMs,
  );
  return sound.at(-1)?.[price] ?? null;
}
