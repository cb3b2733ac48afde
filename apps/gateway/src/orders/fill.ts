import { Decimal } from 'decimal.js';
import type { OrderSendResult, TradeDeal } from '@libs/terminal-client';

/** Where the price of a fill was read; `unresolved` while nobody knows it. */
export type FillPriceSource = 'order_send' | 'deal' | 'position' | 'unresolved';

/** What a send that the broker accepted came to. */
export interface Fill {
  readonly source: FillPriceSource;
  /** Volume-weighted; null while unknown, never 0. */
  readonly price: number | null;
  /** Lots; null while unknown. */
  readonly volume: number | null;
  readonly deal: number | null;
  /** Order ticket; null while unknown. */
  readonly order: number | null;
  /** Identifier of the position; null while unknown. */
  readonly positionId: number | null;
  /** Result in the deposit currency with swap, commission and fee, of the deals themselves; null while unknown. */
  readonly profit: number | null;
}

/** The fill as the server's own answer tells it. */
export function answeredFill(result: OrderSendResult): Fill {
  return {
    source: result.price > 0 && result.deal > 0 ? 'order_send' : 'unresolved',
    price: result.price > 0 && result.deal > 0 ? result.price : null,
    volume: result.volume || null,
    deal: result.deal || null,
    order: result.order || null,
    positionId: null,
    profit: null,
  };
}

/** The fill as its deals tell it; null without one that has a price. */
export function dealtFill(deals: readonly TradeDeal[]): Fill | null {
  const priced = deals.filter(({ price, volume }) => price > 0 && volume > 0);
  const last = priced.at(-1);
  if (!last) return null;
  const volume = sum(priced.map((deal) => deal.volume));
  const turnover = sum(priced.map((deal) => new Decimal(deal.price).mul(deal.volume)));
  return {
    source: 'deal',
    price: priced.length === 1 ? last.price : turnover.div(volume).toDecimalPlaces(8).toNumber(),
    volume: volume.toNumber(),
    deal: last.ticket,
    order: last.order || null,
    positionId: last.position_id || null,
    profit: sum(priced.flatMap(({ profit, swap, commission, fee }) => [profit, swap, commission, fee])).toNumber(),
  };
}

function sum(values: readonly (number | Decimal)[]): Decimal {
  return values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0));
}
