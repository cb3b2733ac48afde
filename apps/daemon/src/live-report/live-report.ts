import { basename } from 'node:path';
import type { Reject } from '@libs/strategy';
import type { BarPoint } from '../backtest/backtest-result';
import { buyAndHold } from '../backtest/benchmark';
import { breakdownsOf } from '../backtest/breakdowns';
import { drawdownList } from '../backtest/drawdown';
import type { EquityPoint } from '../backtest/equity-curve';
import { sum } from '../backtest/exact-sum';
import { withExcursions, type BarSeries } from '../backtest/excursions';
import { curveOf, figuresOf } from '../backtest/figures';
import { monthsOf } from '../backtest/months';
import { mostDrawdowns, rejectsOf } from '../backtest/report';
import type { PagedReport } from '../backtest/report-page';
import { roundTrips, type RoundTrip } from '../backtest/round-trips';
import { finestOf } from '../core/bar-sequence';
import { liveEquity, type PricedSymbol } from './live-equity';
import type { LiveHistory, RecordsFrom } from './live-history';
import type { KnownBy, LivePosition } from './live-position';
import { tradeModeOf, unknownTo } from './live-source';
import { liveTrades, type LiveTrade, type Span } from './live-trade';
import type { IntentRecord } from '../core/records';
import { goesByClock } from './live-period';

/** The report of `daemon report`: the figures of a backtest, for what a strategy or portfolio did. Times are UTC. */
export interface LiveReport extends PagedReport {
  readonly name: string;
  readonly live: {
    readonly accounts: readonly {
      readonly gateway: string;
      readonly login: number;
      readonly server: string;
      readonly currency: string;
      /** demo, contest or real. */
      readonly tradeMode: string;
    }[];
    /** By the clock of the machine that read it. */
    readonly readAt: string;
    readonly records: RecordsFrom;
    /** What the report cannot know, a sentence each. */
    readonly unknown: readonly string[];
  };
  readonly strategies: readonly {
    readonly name: string;
    readonly file: string;
    readonly magic: number;
    readonly params: Readonly<Record<string, unknown>>;
    readonly streams: Readonly<Record<string, string>>;
  }[];
  readonly range: { readonly from: string; readonly to: string; readonly timeframe: string; readonly bars: number };
  /** Why it is halted now; null if it is not. */
  readonly haltReason: string | null;
  readonly trades: readonly (PagedReport['trades'][number] & {
    readonly strategy?: string;
    readonly knownBy: KnownBy;
  })[];
  /** Positions that are open at the end. */
  readonly open: readonly LiveTrade[];
}

/** The long columns of a live report. */
export interface LiveColumns {
  readonly equity: readonly EquityPoint[];
  readonly prices: readonly BarPoint[];
  /** The equity of each child of a portfolio: the capital of the portfolio with the result of that child alone. */
  readonly strategies: readonly { readonly name: string; readonly equity: readonly EquityPoint[] }[];
}

/**
 * The report of what a subject did.
 * @param symbols of all its positions and streams
 * @param timeframe of their bars
 * @param nowMs the clock, in milliseconds since the epoch
 */
export function liveReportOf(
  history: LiveHistory,
  symbols: readonly PricedSymbol[],
  timeframe: string,
  nowMs: number,
): { readonly report: LiveReport; readonly columns: LiveColumns } {
  const { subject, span, accounts, stored } = history;
  const { capital } = subject;
  const numbered = numberedPositions(history.positions);
  const { equity, realized, unrealized } = liveEquity(history.positions, symbols, span, capital);
  const rejects = rejectedRequests(stored.intents, span, nowMs);
  const run = {
    startMs: span.fromMs,
    endMs: span.toMs,
    ...numbered,
    rejects,
    equity,
    realized,
    unrealized,
    spreads: null,
  };
  const trips = roundTrips(numbered.fills, numbered.costs);
  const curve = curveOf(run, capital);
  const charted = chartedOf(history, symbols);
  const prices = charted === null ? [] : pointsOf(charted);
  const [account] = accounts;
  const found = liveTrades(history.positions);
  const report: LiveReport = {
    name: subject.name,
    live: {
      accounts: accounts.map(({ session, account: { login, server, currency, trade_mode } }) => {
        return { gateway: session.name, login, server, currency, tradeMode: tradeModeOf(trade_mode) };
      }),
      readAt: new Date(nowMs).toISOString(),
      records: stored.from,
      unknown: unknownTo(history, found, timeframe, symbols),
    },
    strategies: subject.strategies.map(({ name, module, magic, params, streams }) => ({
      name,
      file: basename(module),
      magic,
      params,
      streams: Object.fromEntries(streams.map((one) => [one.alias, `${one.broker}:${one.symbol}@${one.timeframe}`])),
    })),
    account: { currency: account?.account.currency ?? '', leverage: account?.account.leverage ?? 0, capital },
    range: {
      from: new Date(span.fromMs).toISOString(),
      to: new Date(span.toMs).toISOString(),
      timeframe,
      bars: prices.length,
    },
    figures: figuresOf(run, capital, trips, curve),
    benchmark: charted === null ? null : buyAndHold(prices, charted.symbol),
    drawdowns: drawdownList(curve, mostDrawdowns),
    breakdowns: breakdownsOf(trips),
    months: monthsOf(curve, trips, capital),
    rejects: rejectsOf({ rejects }),
    haltReason: stored.records.find(({ name }) => name === subject.name)?.halt?.reason ?? null,
    trades: withExcursions(trips, seriesOf(symbols, charted)).map((trip) => {
      const { ticket, strategy, knownBy } = numbered.of(trip);
      return { ...trip, position: ticket, ...(subject.isPortfolio ? { strategy } : {}), knownBy };
    }),
    open: found.filter(({ closedMs }) => closedMs === null),
  };
  return {
    report,
    columns: {
      equity: toEnd(equity, [span.toMs, report.figures.endEquity]),
      prices,
      strategies: childCurves(history, symbols),
    },
  };
}

/** Fills and costs by numbers of our own: the tickets of two gateways, or of a reversal, may be the same. */
function numberedPositions(positions: readonly LivePosition[]) {
  const fills = positions.flatMap((position, index) => position.fills.map((fill) => ({ ...fill, position: index })));
  const sorted = fills.sort((a, b) => a.timeMs - b.timeMs || a.deal - b.deal);
  const costs = new Map(positions.map((position, index) => [index, costsOf(position)]));
  const of = ({ position }: RoundTrip): LivePosition => {
    const found = positions[position];
    if (!found) throw new Error(`no position ${position}`);
    return found;
  };
  return { fills: sorted, costs, of };
}

function costsOf({ fills }: LivePosition): { commission: number; swap: number; fee: number } {
  const total = (member: 'commission' | 'swap' | 'fee'): number => fills.reduce((all, fill) => all + fill[member], 0);
  return { commission: total('commission'), swap: total('swap'), fee: total('fee') };
}

/** The bars of each symbol. Of a symbol that several gateways have, only the charted ones count: their prices differ. */
function seriesOf(symbols: readonly PricedSymbol[], charted: PricedSymbol | null): readonly BarSeries[] {
  const isKnown = (one: PricedSymbol): boolean =>
    one === charted || symbols.every((other) => other === one || other.symbol !== one.symbol);
  return symbols.filter(isKnown).map((one) => ({ symbol: one.symbol, bars: pointsOf(one), barMs: one.barMs }));
}

function pointsOf({ bars }: PricedSymbol): readonly BarPoint[] {
  return bars.map(({ openMs, open, high, low, close }): BarPoint => [openMs, open, high, low, close]);
}

/** The symbol of the stream with the shortest timeframe. */
function chartedOf({ subject }: LiveHistory, symbols: readonly PricedSymbol[]): PricedSymbol | null {
  const finest = finestOf(subject.strategies.flatMap(({ streams }) => streams));
  return symbols.find(({ gateway, symbol }) => gateway === finest?.broker && symbol === finest.symbol) ?? null;
}

function childCurves(
  { subject, positions, span }: LiveHistory,
  symbols: readonly PricedSymbol[],
): LiveColumns['strategies'] {
  if (!subject.isPortfolio) return [];
  return subject.strategies.map(({ name }) => {
    const own = positions.filter(({ strategy }) => strategy === name);
    const { equity, realized, unrealized } = liveEquity(own, symbols, span, subject.capital);
    return { name, equity: toEnd(equity, [span.toMs, sum([subject.capital, realized, unrealized])]) };
  });
}

/** A curve with the end of the period, which deals after the last closed bar are in. */
function toEnd(equity: readonly EquityPoint[], end: EquityPoint): readonly EquityPoint[] {
  return equity.at(-1)?.[0] === end[0] ? [...equity.slice(0, -1), end] : [...equity, end];
}

/**
 * The requests that were refused in a period, as far as the daemon's records have them. Denied intents are never sent and have no
 * record.
 * @param nowMs the clock: records have its times, while the period is in the market's
 */
function rejectedRequests(intents: readonly IntentRecord[], span: Span, nowMs: number): readonly Reject[] {
  const { fromMs, toMs, isUntilNow } = span;
  const aheadMs = goesByClock(span, nowMs) ? 0 : nowMs - toMs;
  return intents
    .filter(({ createdAtMs }) => createdAtMs >= fromMs + aheadMs && (isUntilNow || createdAtMs < toMs))
    .flatMap(({ intentId, state, outcome }): Reject[] => {
      if (state !== 'rejected' && state !== 'blocked' && state !== 'absent') return [];
      const kind = state === 'blocked' ? 'blocked' : 'rejected';
      return [{ intentId, kind, reason: outcome ?? 'no reason is recorded', retcode: null }];
    });
}
