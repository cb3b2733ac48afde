import type { Reject, Side } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from './backtest-result';
import { columnsOf, columnsOfRows, extended, type Curve, type CurveColumns } from './curve';
import { drawdowns, type Drawdown } from './drawdown';
import { ExactTotal, sum, withoutNoise } from './exact-sum';
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

/** The closed positions of a run in columns, in the order in which they were closed. */
export interface TradeColumns {
  readonly sides: readonly Side[];
  readonly openedMs: readonly number[];
  readonly closedMs: readonly number[];
  /** Results, costs included. */
  readonly realized: readonly number[];
}

/** What the figures of a run are made of, besides its equity. */
export interface Tally extends Pick<CurvedRun, 'startMs' | 'endMs' | 'realized' | 'unrealized'> {
  readonly trades: TradeColumns;
  /** Positions still open at the end, and when each of them was opened. */
  readonly open: number;
  readonly openSinceMs: readonly number[];
  /** Exact sums over all positions, fees with the commission. */
  readonly commission: number;
  readonly swap: number;
  /** The exact sum over all fills; null where they are not known. */
  readonly spreads: number | null;
  readonly rejects: number;
}

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
  return figuresOfTally(
    tallyOf(result, positions, trips ?? roundTripsOf(positions, result.costs)),
    capital,
    columnsOf(curve),
  );
}

function tallyOf(
  { startMs, endMs, realized, unrealized, costs, spreads, rejects }: FiguredRun,
  positions: ReturnType<typeof byPosition>,
  trips: readonly RoundTrip[],
): Tally {
  const [commissions, swaps] = [new ExactTotal(), new ExactTotal()];
  for (const { commission, fee, swap } of costs.values()) {
    commissions.add(commission);
    commissions.add(fee);
    swaps.add(swap);
  }
  const openSinceMs: number[] = [];
  if (trips.length < positions.size) {
    const closed = new Set(trips.map(({ position }) => position));
    for (const [position, [first]] of positions) {
      if (!closed.has(position)) openSinceMs.push(first?.timeMs ?? endMs);
    }
  }
  return {
    startMs,
    endMs,
    realized,
    unrealized,
    trades: {
      sides: trips.map(({ side }) => side),
      openedMs: trips.map(({ openedMs }) => openedMs),
      closedMs: trips.map(({ closedMs }) => closedMs),
      realized: trips.map((trip) => trip.realized),
    },
    open: positions.size - trips.length,
    openSinceMs,
    commission: commissions.value,
    swap: swaps.value,
    spreads: spreads && sum([...spreads.values()]),
    rejects: rejects.length,
  };
}

/** As {@link figuresOf}, of a tally. */
export function figuresOfTally(tally: Tally, capital: number, curve: CurveColumns): Figures {
  const { trades, open, spreads } = tally;
  const results = trades.realized;
  const wins = results.filter((realized) => realized > 0);
  const losses = results.filter((realized) => realized < 0);
  const [longs, shorts] = [
    { trades: 0, won: 0 },
    { trades: 0, won: 0 },
  ];
  const minutesHeld = new ExactTotal();
  for (let at = 0; at < results.length; at++) {
    const own = trades.sides[at] === 'buy' ? longs : shorts;
    own.trades++;
    if ((results[at] ?? 0) > 0) own.won++;
    minutesHeld.add(((trades.closedMs[at] ?? 0) - (trades.openedMs[at] ?? 0)) / 60_000);
  }
  const [grossProfit, grossLoss] = [sum(wins), sum(losses)];
  const endEquity = curve.values.at(-1) ?? capital;
  const drawdown = drawdowns(curve);
  return {
    startEquity: capital,
    endEquity,
    netProfit: tally.realized,
    openProfit: withoutNoise(tally.unrealized),
    returnPct: ratio(new Decimal(endEquity).div(capital).minus(1).times(100)),
    trades: results.length,
    open,
    longTrades: longs.trades,
    shortTrades: shorts.trades,
    winRatePct: winRate(wins.length, results.length),
    longWinRatePct: winRate(longs.won, longs.trades),
    shortWinRatePct: winRate(shorts.won, shorts.trades),
    grossProfit,
    grossLoss,
    profitFactor: grossLoss === 0 ? null : ratio(new Decimal(grossProfit).div(grossLoss).abs()),
    expectancy: average(sum(results), results.length),
    averageWin: average(grossProfit, wins.length),
    averageLoss: average(grossLoss, losses.length),
    largestWin: furthest(wins),
    largestLoss: furthest(losses),
    longestWinningRun: longestRun(results, (realized) => realized > 0),
    longestLosingRun: longestRun(results, (realized) => realized < 0),
    averageHoldMinutes: results.length === 0 ? null : hundredths(minutesHeld.value / results.length),
    exposurePct: exposure(tally),
    ...drawdown,
    ...performanceOf(curve, drawdown),
    sqn: sqnOf(results),
    commission: tally.commission,
    swap: tally.swap,
    spreadPaid: spreads === null ? null : ratio(new Decimal(-spreads)),
    rejects: tally.rejects,
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
function exposure({ startMs, endMs, trades, openSinceMs }: Tally): number {
  const closed = trades.closedMs.length;
  const opened = openSinceMs.length === 0 ? trades.openedMs : [...trades.openedMs, ...openSinceMs];
  let [covered, until] = [0, startMs];
  for (const at of ascending(opened)) {
    const endedMs = at < closed ? (trades.closedMs[at] ?? endMs) : endMs;
    covered += Math.max(0, endedMs - Math.max(opened[at] ?? endMs, until));
    until = Math.max(until, endedMs);
  }
  return ratio(new Decimal(covered).div(Math.max(1, endMs - startMs)).times(100));
}

/** The indexes of some values in the order of the values. Those of trades mostly ascend already. */
function ascending(values: readonly number[]): readonly number[] {
  const indexes = values.map((_, at) => at);
  const isSorted = values.every((value, at) => at === 0 || (values[at - 1] ?? 0) <= value);
  return isSorted ? indexes : indexes.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}

/** The amount that is furthest from 0; null without one. A call takes too few arguments for the trades of years. */
function furthest(amounts: readonly number[]): number | null {
  let found: number | null = null;
  for (const amount of amounts) if (found === null || Math.abs(amount) > Math.abs(found)) found = amount;
  return found;
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

function average(total: number, count: number): number | null {
  return count === 0 ? null : ratio(new Decimal(total).div(count));
}

function hundredths(minutes: number): number {
  return new Decimal(minutes).toDecimalPlaces(2).toNumber();
}

function ratio(value: Decimal): number {
  return value.toDecimalPlaces(4).toNumber();
}
