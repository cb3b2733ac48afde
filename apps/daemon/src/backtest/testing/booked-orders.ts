import { OrderType, TradeAction } from '@libs/terminal-client';
import { Decimal } from 'decimal.js';
import { realizedBy } from '../../core/deal-booking';
import type { BookWorld } from './book-world';

/** The gateway of the {@link BookWorld}. */
export const broker = 'demo';
export const [FOK, IOC, RETURN] = [0, 1, 2] as const;
/** A market order at the first price. */
export const market = (side: 'buy' | 'sell', volume: number, type_filling: number = IOC) => ({
  ...{ action: TradeAction.DEAL, volume, type_filling, price: side === 'buy' ? 1.1001 : 1.1 },
  type: side === 'buy' ? OrderType.BUY : OrderType.SELL,
});
/** A pending order to buy. */
export const limit = (price: number, volume: number) => ({
  ...{ action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price, volume, type_filling: RETURN },
});

/** Expects that all deals are booked once, and that the books are those of the broker. */
export async function expectBooked(world: BookWorld): Promise<void> {
  const deals = await world.deals();
  const total = deals.reduce((sum, deal) => sum.plus(realizedBy(deal)), new Decimal(0));
  expect(world.book.realized.toFixed(2)).toBe(total.toFixed(2));
  expect(world.book.record.trades).toBe(deals.length);
  expect(world.fills.map(({ deal }) => deal).sort()).toEqual(deals.map(({ ticket }) => ticket).sort());
  const rows = await world.terminal.positionsGet();
  expect(volumes(world.book.positions)).toEqual(volumes(rows));
  for (const { identifier, volume } of rows) expect(Number(world.book.bookedVolume(broker, identifier))).toBe(volume);
  const waiting = (await world.terminal.ordersGet()).map((row) => ({ ...row, volume: row.volume_current }));
  expect(volumes(world.book.orders)).toEqual(volumes(waiting));
}

function volumes(of: readonly { readonly ticket: number; readonly volume: number }[]): readonly (readonly number[])[] {
  return of.map(({ ticket, volume }) => [ticket, volume] as const).sort(([a], [b]) => a - b);
}
