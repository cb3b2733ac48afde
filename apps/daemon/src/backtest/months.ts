import type { BacktestResult } from './backtest';
import { drawdowns } from './drawdown';
import { curveOf, sum } from './figures';
import type { RoundTrip } from './round-trips';

/** One calendar month (UTC) of a run. */
export interface Month {
  /** `2012-02`. */
  readonly month: string;
  /** Change of the equity, floating results included, in the account's currency. */
  readonly profit: number;
  readonly returnPct: number;
  /** Trades closed in it. */
  readonly trades: number;
  readonly wins: number;
  readonly maxDrawdownPct: number;
  readonly endEquity: number;
}

/** A run by months. */
export function monthsOf(result: BacktestResult, trips: readonly RoundTrip[], capital: number): readonly Month[] {
  const groups = new Map<string, [number, number][]>();
  for (const [timeMs, value] of curveOf(result, capital)) {
    const points = groups.get(monthOf(timeMs));
    if (points) points.push([timeMs, value]);
    else groups.set(monthOf(timeMs), [[timeMs, value]]);
  }
  let before = capital;
  return [...groups].map(([month, points]) => {
    const startEquity = before;
    const endEquity = points.at(-1)?.[1] ?? startEquity;
    before = endEquity;
    const closed = trips.filter(({ closedMs }) => monthOf(closedMs) === month);
    const { maxDrawdownPct } = drawdowns([[points[0]?.[0] ?? 0, startEquity], ...points]);
    return {
      ...{ month, profit: sum([endEquity, -startEquity]), trades: closed.length, maxDrawdownPct, endEquity },
      returnPct: Number(((endEquity / startEquity - 1) * 100).toFixed(4)),
      wins: closed.filter(({ realized }) => realized > 0).length,
    };
  });
}

function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7);
}
