import type { Fill, Position } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import type { BacktestResult } from '../backtest/backtest-result';
import { sum } from '../backtest/exact-sum';
import { byPosition, roundTrips } from '../backtest/round-trips';
import type { LiveTrade } from './live-trade';

/** A trade of the live account or of a backtest. Money is in the account's currency. */
export interface ComparedTrade extends Pick<
  LiveTrade,
  | 'strategy'
  | 'symbol'
  | 'side'
  | 'volume'
  | 'openedMs'
  | 'entryPrice'
  | 'closedMs'
  | 'exitPrice'
  | 'exitReason'
  | 'commission'
  | 'swap'
> {
  /** Everything: the results of its deals, costs included, and what floats. */
  readonly net: number;
}

/** @param floating what to take where the floating result is not known */
export function ofLive(trade: LiveTrade, floating = 0): ComparedTrade {
  const net = sum([trade.realized, trade.floating ?? (trade.closedMs === null ? floating : 0)]);
  return { strategy: trade.strategy, ...partsOf(trade), net };
}

/** The closed and open trades of a strategy in a backtest. */
export function ofBacktest(
  strategy: string,
  { fills, costs, positions }: Pick<BacktestResult, 'fills' | 'costs' | 'positions'>,
): readonly ComparedTrade[] {
  const closed = new Map(roundTrips(fills, costs).map((trip) => [trip.position, trip]));
  return [...byPosition(fills)].map(([ticket, deals]) => {
    const trip = closed.get(ticket);
    if (trip) return { strategy, ...partsOf(trip), net: trip.realized };
    const position = positions.find((one) => one.ticket === ticket);
    return { strategy, ...openTrade(deals, costs.get(ticket), position) };
  });
}

type TradeParts = Omit<ComparedTrade, 'strategy' | 'net'>;

function partsOf(trade: TradeParts): TradeParts {
  const { symbol, side, volume, openedMs, entryPrice, closedMs, exitPrice, exitReason, commission, swap } = trade;
  return { symbol, side, volume, openedMs, entryPrice, closedMs, exitPrice, exitReason, commission, swap };
}

function openTrade(
  deals: readonly Fill[],
  costs: { readonly commission: number; readonly swap: number; readonly fee: number } | undefined,
  position: Position | undefined,
): Omit<ComparedTrade, 'strategy'> {
  const entries = deals.filter(({ entry }) => entry === 'in');
  const [first] = entries;
  if (!first || first.timeMs === null) throw new Error('a position of the backtest has no entry');
  const volume = sum(entries.map((fill) => fill.volume));
  const money = entries.reduce((total, fill) => total.plus(new Decimal(fill.price).times(fill.volume)), new Decimal(0));
  return {
    symbol: first.symbol,
    side: first.side,
    volume,
    openedMs: first.timeMs,
    entryPrice: money.div(volume).toDecimalPlaces(8).toNumber(),
    closedMs: null,
    exitPrice: null,
    exitReason: null,
    commission: sum([costs?.commission ?? 0, costs?.fee ?? 0]),
    swap: costs?.swap ?? 0,
    net: sum([...deals.map(({ realized }) => realized), position?.unrealized ?? 0]),
  };
}
