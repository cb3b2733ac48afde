import { basename } from 'node:path';
import type { StrategySpec } from '../core/strategy-spec';
import type { Reject, Stream } from '@libs/strategy';
import type { BarsByStream } from '../strategies/worker/warmup';
import { type Assumptions, fillRuleOf, type FillRule } from './broker-terms';
import type { BacktestResult, BarPoint, TimedLog } from './backtest-result';
import type { EquityPoint } from './equity-curve';
import { curveOf, figuresOf, type Figures } from './figures';
import { timeframeMs } from '../core/event-time';
import { finestOf } from '../core/bar-sequence';
import type { Bars } from './bar-rows';
import { buyAndHold, type Benchmark } from './benchmark';
import { breakdownsOf, type Breakdowns } from './breakdowns';
import { drawdownList, type DrawdownSpan } from './drawdown';
import { withExcursions, type BarSeries, type ReportTrade } from './excursions';
import { gapsOf, type Gaps } from './gaps';
import { openPositions, type OpenPosition } from './open-positions';
import { monthsOf, type Month } from './months';
import type { AcceptedFaults } from './accepted-faults';
import { roundTrips } from './round-trips';

export interface RejectCount {
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
}

/** The report of `daemon backtest`, as JSON and as the source of the table and of the page. Times are UTC. */
export interface BacktestReport {
  readonly strategy: {
    readonly file: string;
    readonly version: number;
    readonly params: Readonly<Record<string, unknown>>;
    /** `alias: SYMBOL@TIMEFRAME`. */
    readonly streams: Readonly<Record<string, string>>;
    /** Its own limits; absent in reports of earlier versions. */
    readonly risk?: StrategySpec['risk'];
  };
  readonly account: { readonly currency: string; readonly leverage: number; readonly capital: number };
  readonly range: {
    readonly from: string;
    readonly to: string;
    readonly files: readonly string[];
    /** Bars of all streams. */
    readonly bars: number;
    /** Gaps in the prices, by symbol. */
    readonly gaps: Readonly<Record<string, Gaps>>;
    /** Faulty prices that the run accepted, by symbol. */
    readonly faults: Readonly<Record<string, AcceptedFaults>>;
    /** Bars that the history began with, by the alias of the stream. */
    readonly pastBars: BarsByStream;
    /** The newest of them, for which handlers were called. */
    readonly warmupBars: BarsByStream;
  };
  /** Assumptions about the broker. */
  readonly assumptions: Assumptions;
  /** Null if all prices were ticks: an order then fills at the quote that reaches it. */
  readonly fillRule: FillRule | null;
  readonly figures: Figures;
  readonly months: readonly Month[];
  /** Buy and hold, in the symbol of the stream with the shortest timeframe; null if none of its bars closed. */
  readonly benchmark: Benchmark | null;
  /** The ten deepest. */
  readonly drawdowns: readonly DrawdownSpan[];
  readonly breakdowns: Breakdowns;
  readonly rejects: readonly RejectCount[];
  /** Why entries were stopped before the end; null when they were not. */
  readonly haltReason: string | null;
  readonly trades: readonly ReportTrade[];
  /** What is open at the end, the oldest first. */
  readonly openPositions: readonly OpenPosition[];
}

/** The long columns of a run: for files, not for a terminal. */
export interface BacktestColumns {
  readonly equity: readonly EquityPoint[];
  readonly prices: readonly BarPoint[];
  readonly logs: readonly TimedLog[];
}

/** Drawdowns that a report lists. */
export const mostDrawdowns = 10;
const longestMonthMs = 31 * 86_400_000;

/** The report of a run. */
export function reportOf(
  result: BacktestResult,
  spec: Pick<StrategySpec, 'module' | 'capital' | 'streams'> & Partial<Pick<StrategySpec, 'risk'>>,
  files: readonly string[],
): BacktestReport {
  const { version, params, startMs, endMs, pastBars, warmupBars, currency, leverage, haltReason, opens } = result;
  const trades = roundTrips(result.fills, result.costs);
  const curve = curveOf(result, spec.capital);
  const streams = spec.streams.map(({ alias, symbol, timeframe }) => [alias, `${symbol}@${timeframe}`] as const);
  const bars = barsOf(result);
  const charted = finestOf(spec.streams);
  return {
    strategy: { file: basename(spec.module), version, params, streams: Object.fromEntries(streams), ...limitsOf(spec) },
    account: { currency, leverage, capital: spec.capital },
    range: {
      from: new Date(startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      files: files.map((file) => basename(file)),
      bars: result.bars,
      pastBars,
      warmupBars,
      faults: result.faults,
      gaps: Object.fromEntries(opens.map(({ symbol, timeframe, timesMs }) => [symbol, gapsOf(timesMs, timeframe)])),
    },
    assumptions: result.assumptions,
    fillRule: fillRuleOf(result.limitFill),
    figures: figuresOf(result, spec.capital, trades, curve),
    benchmark: charted === undefined ? null : buyAndHold(bars, charted.symbol),
    drawdowns: drawdownList(curve, mostDrawdowns),
    breakdowns: breakdownsOf(trades),
    months: monthsOf(curve, trades, spec.capital),
    rejects: rejectsOf(result),
    haltReason,
    trades: withExcursions(trades, seriesOf(result, charted)),
    openPositions: openPositions(result.positions),
  };
}

/** The bars of a run as rows, where it has them: its points are made when they are read, an array for each minute. */
function barsOf(result: Pick<BacktestResult, 'prices' | 'rows'>): Bars {
  return result.rows?.prices ?? result.prices;
}

function limitsOf({ risk }: Partial<Pick<StrategySpec, 'risk'>>): Pick<BacktestReport['strategy'], 'risk'> {
  return risk === undefined ? {} : { risk };
}

/** Bars of a run, one series per symbol. @param charted stream of the bars in `prices` */
export function seriesOf(result: BacktestResult, charted: Stream | undefined): readonly BarSeries[] {
  const { opens } = result;
  const barMsOf = (timeframe: string): number => timeframeMs(timeframe) ?? longestMonthMs;
  const others = opens.flatMap(({ symbol, timeframe, bars }): BarSeries[] => {
    return bars === undefined ? [] : [{ symbol, bars, barMs: barMsOf(timeframe) }];
  });
  if (charted === undefined) return others;
  return [...others, { symbol: charted.symbol, bars: barsOf(result), barMs: barMsOf(charted.timeframe) }];
}

/** What reasons may differ in: any number that is not part of a name such as US500. */
const differing = /(?<![\w.])\d+(?:\.\d+)?/g;
/** A number of its own: not part of a name such as US500, nor of a time such as 10:05. */
const number = /(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-]|\.\d)/g;

/** Rejects by kind and reason. Reasons that differ only in numbers count as one, which shows the range of each number. */
export function rejectsOf({
  rejects,
}: {
  readonly rejects: readonly Pick<Reject, 'kind' | 'reason'>[];
}): readonly RejectCount[] {
  const groups = new Map<string, { readonly kind: string; readonly reasons: string[] }>();
  for (const { kind, reason } of rejects) {
    const key = `${kind} ${reason.replaceAll(differing, '#')}`;
    const group = groups.get(key) ?? { kind, reasons: [] };
    group.reasons.push(reason);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ kind, reasons }) => ({ kind, reason: joinedReason(reasons), count: reasons.length }))
    .sort((a, b) => b.count - a.count);
}

/** Texts that differ only in numbers as one text: `volume 1.08 to 2.16 is above maxVolume 1`. */
function joinedReason(reasons: readonly string[]): string {
  const [first = ''] = reasons;
  const rows = [...new Set(reasons)].map((reason) => reason.match(number) ?? []);
  let place = 0;
  return first.replaceAll(number, () => {
    const column = rows.map((row) => row[place] ?? '').sort((a, b) => Number(a) - Number(b));
    place += 1;
    const [least = '', most = ''] = [column[0], column.at(-1)];
    return least === most ? least : `${least} to ${most}`;
  });
}
