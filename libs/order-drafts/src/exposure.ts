import { Decimal } from 'decimal.js';
import { DealType, type TradeDeal, type TradeOrder, type TradePosition } from '@libs/terminal-client';

const dayS = 86_400;
/** Balance operations, credits, corrections and bonuses change the balance, but are not results of trades. */
const notResults: readonly number[] = [DealType.BALANCE, DealType.CREDIT, DealType.CORRECTION, DealType.BONUS];

/** Lots of positions and pending orders, by symbol. */
export function openVolumes(
  positions: readonly Pick<TradePosition, 'symbol' | 'volume'>[],
  orders: readonly Pick<TradeOrder, 'symbol' | 'volume_current'>[],
): Map<string, Decimal> {
  const volumes = new Map<string, Decimal>();
  for (const { symbol, volume } of positions) addVolume(volumes, symbol, volume);
  for (const { symbol, volume_current } of orders) addVolume(volumes, symbol, volume_current);
  return volumes;
}

/** Adds lots of a symbol to a sum. */
export function addVolume(volumes: Map<string, Decimal>, symbol: string, volume: Decimal.Value): void {
  volumes.set(symbol, (volumes.get(symbol) ?? new Decimal(0)).plus(volume));
}

/** Start of the broker's day, in server seconds. */
export function dayStartS(nowServerS: number): number {
  return Math.floor(nowServerS / dayS) * dayS;
}

/** Server seconds up to which deals of a day that began at `startS` are read: the clocks may differ a little. */
export function dayReadUntilS(startS: number): number {
  return startS + 2 * dayS;
}

/** The deals that count as results of the day that started at `startS`, in server seconds. */
export function resultsOfDay(deals: readonly TradeDeal[], startS: number): TradeDeal[] {
  return deals.filter(({ time, type }) => time >= startS && !notResults.includes(type));
}

/**
 * Loss of a day in the account currency, closed and floating; negative is a profit. Null if the terminal has no profit
 * of a position.
 */
export function lossOfDay(results: readonly TradeDeal[], positions: readonly TradePosition[]): number | null {
  const closed = results.flatMap(({ profit, commission, swap, fee }) => [profit, commission, swap, fee]);
  const floating = positions.flatMap(({ profit, swap }) => [profit, swap]);
  const loss = Decimal.sum(0, ...closed, ...floating).negated();
  if (!loss.isFinite()) return null;
  // In floating point this could be -0, which would be printed as such.
  return loss.toDecimalPlaces(8).plus(0).toNumber() || 0;
}
