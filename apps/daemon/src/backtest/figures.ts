import type { Reject } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from './backtest-result';
import { columnsOf, columnsOfRows, extended, type Curve, type CurveColumns } from './curve';
import { drawdowns, type Drawdown } from './drawdown';
import { sum, withoutNoise } from './exact-sum';
import { performanceOf, sqnOf, type Performance } from './performance';
import { byPosition, roundTripsOf, type RoundTrip } from './round-trips';

/** Results of a run. Money is in the account's currency; a trade is a position from its opening to its closing. */
export interface Figures extends Drawdown, Performance {
  readonly startEquity: number;
  /** With the floating result of what is still open. */
  readonly endEquity: number;
  /** Result of all deals, costs included; without what is still floating. */
  readonly netProfit: number;
  readonly openProfit: number;
  /** Change of the equity in percent. */
  readonly returnPct: number;
  readonly trades: number;
  /** Positions still open at the end. */
  readonly open: number;
  readonly longTrades: number;
  readonly shortTrades: number;
  readonly winRatePct: number | null;
  readonly longWinRatePct: number | null;
  readonly shortWinRatePct: number | null;
  readonly grossProfit: number;
  readonly grossLoss: number;
  /** Gross profit over gross loss; null without losses. */
  readonly profitFactor: number | null;
  /** What a trade brings on average. */
  readonly expectancy: number | null;
  readonly averageWin: number | null;
  readonly averageLoss: number | null;
  readonly largestWin: number | null;
  readonly largestLoss: number | null;
  readonly longestWinningRun: number;
  readonly longestLosingRun: number;
  readonly averageHoldMinutes: number | null;
  /** Share of the time with a position open. */
  readonly exposurePct: number;
  /** System quality number of the closed trades; null below two of them. */
  readonly sqn: number | null;
  /** Charged by the broker, in all deals; negative is paid. */
  readonly commission: number;
  readonly swap: number;
  /** Estimated cost of the spread, which the prices include; null where the spreads of the fills are not known. */
  readonly spreadPaid: number | null;
  readonly rejects: number;
}

/** What the figures of a run are made of. `spreads`: null where they are not known. */
export type FiguredRun = Pick<BacktestResult, 'fills' | 'costs'> &
  CurvedRun & { readonly rejects: readonly Reject[]; readonly spreads: BacktestResult['spreads'] | null };

type CurvedRun = Pick<BacktestResult, 'startMs' | 'endMs' | 'realized' | 'unrealized' | 'equity' | 'rows'>;

/**
 * The figures of a run.
 * @param trips its closed positions, and
 * @param curve its equity, where the caller has them already
 */
export function figuresOf(
  result: FiguredRun,
  capital: number,
  trips: readonly RoundTrip[] | null = null,
  curve: Curve = curveOf(result, capital),
): Figures {
  const positions = byPosition(result.fills);
  return figuresOfTrips(result, capital, positions, trips ?? roundTripsOf(positions, result.costs), curve);
}

function figuresOfTrips(
  result: FiguredRun,
  capital: number,
  positions: ReturnType<typeof byPosition>,
  trips: readonly RoundTrip[],
  curve: Curve,
): Figures {
  const results = trips.map(({ realized }) => realized);
  const wins = results.filter((realized) => realized > 0);
  const losses = results.filter((realized) => realized < 0);
  const [longs, shorts] = [
    { trades: 0, won: 0 },
    { trades: 0, won: 0 },
  ];
  for (const { side, realized } of trips) {
    const own = side === 'buy' ? longs : shorts;
    own.trades++;
    if (realized > 0) own.won++;
  }
  const [grossProfit, grossLoss] = [sum(wins), sum(losses)];
  const columns = columnsOf(curve);
  const endEquity = columns.values.at(-1) ?? capital;
  const drawdown = drawdowns(columns);
  const [charges, swaps]: [number[], number[]] = [[], []];
  for (const { commission, fee, swap } of result.costs.values()) {
    charges.push(commission, fee);
    swaps.push(swap);
  }
  const holds = trips.map(({ openedMs, closedMs }) => (closedMs - openedMs) / 60_000);
  return {
    startEquity: capital,
    endEquity,
    netProfit: result.realized,
    openProfit: withoutNoise(result.unrealized),
    returnPct: ratio(new Decimal(endEquity).div(capital).minus(1).times(100)),
    trades: trips.length,
    open: positions.size - trips.length,
    longTrades: longs.trades,
    shortTrades: shorts.trades,
    winRatePct: winRate(wins.length, trips.length),
    longWinRatePct: winRate(longs.won, longs.trades),
    shortWinRatePct: winRate(shorts.won, shorts.trades),
    grossProfit,
    grossLoss,
    profitFactor: grossLoss === 0 ? null : ratio(new Decimal(grossProfit).div(grossLoss).abs()),
    expectancy: average(results),
    averageWin: average(wins),
    averageLoss: average(losses),
    largestWin: wins.length === 0 ? null : Math.max(...wins),
    largestLoss: losses.length === 0 ? null : Math.min(...losses),
    longestWinningRun: longestRun(results, (realized) => realized > 0),
    longestLosingRun: longestRun(results, (realized) => realized < 0),
    averageHoldMinutes: holds.length === 0 ? null : hundredths(sum(holds) / holds.length),
    exposurePct: exposure(result, positions, trips),
    ...drawdown,
    ...performanceOf(columns, drawdown),
    sqn: sqnOf(results),
    commission: sum(charges),
    swap: sum(swaps),
    spreadPaid: result.spreads === null ? null : ratio(new Decimal(-sum([...result.spreads.values()]))),
    rejects: result.rejects.length,
  };
}

export function endEquityOf(
  { realized, unrealized }: Pick<CurvedRun, 'realized' | 'unrealized'>,
  capital: number,
): number {
  return sum([capital, realized, unrealized]);
}

/** The equity from the capital at the start, over the closes of bars, to what it is at the end. */
export function curveOf(result: CurvedRun, capital: number): CurveColumns {
  const endEquity = endEquityOf(result, capital);
  const equity = result.rows ? columnsOfRows(result.rows.equity, 2, 1) : columnsOf(result.equity);
  return extended(equity, [result.startMs, capital], [result.endMs, endEquity]);
}

/** Share of the run with a position open, overlaps counted once. */
function exposure(
  { startMs, endMs }: Pick<BacktestResult, 'startMs' | 'endMs'>,
  positions: ReturnType<typeof byPosition>,
  trips: readonly RoundTrip[],
): number {
  const spans = trips.map(({ openedMs, closedMs }) => ({ opened: openedMs, ended: closedMs }));
  if (spans.length < positions.size) {
    const closed = new Set(trips.map(({ position }) => position));
    for (const [position, [first]] of positions) {
      if (!closed.has(position)) spans.push({ opened: first?.timeMs ?? endMs, ended: endMs });
    }
  }
  spans.sort((a, b) => a.opened - b.opened);
  let [covered, until] = [0, startMs];
  for (const { opened, ended } of spans) {
    covered += Math.max(0, ended - Math.max(opened, until));
    until = Math.max(until, ended);
  }
  return ratio(new Decimal(covered).div(Math.max(1, endMs - startMs)).times(100));
}

function winRate(won: number, trades: number): number | null {
  return trades === 0 ? null : ratio(new Decimal(won).div(trades).times(100));
}

function longestRun(results: readonly number[], belongs: (realized: number) => boolean): number {
  let [longest, run] = [0, 0];
  for (const realized of results) {
    run = belongs(realized) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

function average(amounts: readonly number[]): number | null {
  return amounts.length === 0 ? null : ratio(new Decimal(sum(amounts)).div(amounts.length));
}

function hundredths(minutes: number): number {
  return new Decimal(minutes).toDecimalPlaces(2).toNumber();
}

function ratio(value: Decimal): number {
  return value.toDecimalPlaces(4).toNumber();
}
