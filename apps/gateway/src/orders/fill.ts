import { Decimal } from 'decimal.js';
import type { orderAnswerFields, RecordOf } from '@libs/records';
import { OrderState, Retcode, type OrderSendResult, type TradeDeal, type TradeOrder } from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';

/** Source of a fill's price; `unresolved` while the price is unknown. */
export type FillPriceSource = NonNullable<RecordOf<typeof orderAnswerFields>['fill_price_source']>;

/** The fill of a send that the broker accepted. */
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
  /** Sum of the deals in the deposit currency, with swap, commission and fee; null while unknown. */
  readonly profit: number | null;
}

/** The fill according to the server's result of the send. */
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

/** Whether the broker accepted a market order (10008) and nothing proves yet that it was filled. */
export function isOnlyAccepted(
  { retcode }: Pick<OrderSendResult, 'retcode'>,
  { source }: Pick<Fill, 'source'>,
): boolean {
  return retcode === Retcode.PLACED && source === 'unresolved';
}

/** The fill according to its deals; null if no deal has a price. */
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

/**
 * The fill of a send according to the deals of its order. Of a close by, each position has its deals: the first one's state the
 * volume, and the result is that of both.
 * @returns null if a deal is missing
 */
export function dealtFillOf(
  { purpose, positionId, by }: Pick<IntentRecord, 'purpose' | 'positionId' | 'by'>,
  deals: readonly TradeDeal[],
): Fill | null {
  if (purpose !== 'close_by') return dealtFill(deals);
  const legOf = (identifier: number | undefined): Fill | null =>
    dealtFill(deals.filter(({ position_id }) => position_id === identifier));
  const first = legOf(positionId);
  const second = legOf(by?.positionId);
  if (!first || !second) return null;
  return { ...first, profit: new Decimal(first.profit ?? 0).plus(second.profit ?? 0).toNumber() };
}

function sum(values: readonly (number | Decimal)[]): Decimal {
  return values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0));
}

/** Whether a row of the history says that nothing of an order is left: some state as filled what was cancelled with a rest. */
export function isFilledWhole({ state, volume_current: rest }: TradeOrder): boolean {
  return state === OrderState.FILLED && rest === 0;
}
