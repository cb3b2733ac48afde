import { finestOf } from '../core/bar-sequence';
import { timeframeMs } from '../core/event-time';
import type { StrategySpec } from '../core/strategy-spec';
import { BacktestRecords } from './backtest-records';
import { ofBacktest, ofLive, type ComparedTrade } from './compared-trade';
import { readFillQuotes } from './fill-quotes';
import { compareWithBacktest, joined, type LiveComparison } from './live-comparison';
import type { LiveHistory, ReadAccount } from './live-history';
import { liveTrades } from './live-trade';
import { RecordedEvidence, type StrategyLines } from './recorded-evidence';
import type { ReplayedDays } from './replayed-days';
import { strategyLines } from './strategy-lines';

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
  for (const spec of history.subject.strategies) {
    const run = replayed.result.strategies.find(({ name }) => name === spec.name);
    if (!run) throw new Error(`the backtest has no strategy ${spec.name}`);
    const toleranceMs = toleranceOf(spec);
    const own = live.filter(({ strategy }) => strategy === spec.name);
    const log = stateDir === null ? null : await strategyLines(stateDir, spec.name);
    const comparison = compareWithBacktest(own, ofBacktest(spec.name, run.result), {
      ...{ fromMs: history.span.fromMs, toleranceMs },
      live: log && recordsOf(history, spec, log, toleranceMs),
      backtest: new BacktestRecords(run, spec.streams, toleranceMs),
      pairFacts: (trade) => ({ ...quotes(trade), worth: worthIn(replayed, trade) }),
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
