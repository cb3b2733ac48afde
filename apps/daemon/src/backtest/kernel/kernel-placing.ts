import {
  fillingRefusal,
  isUnchanged,
  marginMultiplier,
  orderModeRefusal,
  pendingLevelsRefusal,
  volumeRefusal,
  type Listing,
} from '@libs/simulator';
import type { ModifyOrderRequest, OrderRequest } from '@libs/gateway-client';
import {
  changeDraft,
  changeRefusal,
  orderDrafts,
  OrderRefusal,
  type ChangedOrder,
  type Market,
  type OrderLimits,
} from '@libs/order-drafts';
import { OrderTime, type TradeRequest } from '@libs/terminal-client';
import { judgedOrder } from '../backtest-gateway';
import { NeedsEngineError } from './needs-engine-error';

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** A pending order, with the members that the rules of gateway and simulator read by their names. */
export interface KernelOrder extends Mutable<ChangedOrder> {
  /** When it lapses at the broker, in UTC milliseconds; infinite: never. */
  expiresMs: number;
  /** The same as the strategy asked for it, which the broker takes to the second. */
  expirationMs: number | null;
  readonly intentId: string;
  readonly tag: string | null;
  /** The group of which the fill of one order cancels the others; null without one. */
  readonly oco: string | null;
}

/** What the rules for pending orders read. */
export interface PlacingDesk {
  readonly listing: Listing;
  readonly limits: OrderLimits;
  readonly market: Market;
}

/** A pending order, or a change of one, as the broker takes it. */
export interface Placing {
  readonly request: TradeRequest;
  /** When the order lapses at the broker, in UTC milliseconds; infinite: never. */
  readonly expiresMs: number;
  /** The same as the strategy asked for it; null: never. */
  readonly expirationMs: number | null;
}

/**
 * A pending order by the rules of the gateway, and of the broker.
 * @returns why the gateway does not send it
 * @throws NeedsEngineError where the broker refuses it
 */
export function placingOf(desk: PlacingDesk, asked: OrderRequest): Placing | OrderRefusal {
  const { listing, limits, market } = desk;
  const { spec } = listing;
  const order = judgedOrder(asked, limits, market);
  if (order instanceof OrderRefusal) return order;
  const expirationMs = order?.expirationMs ?? null;
  const marks = { magic: 0, comment: '' };
  const [request] = order === null ? [] : orderDrafts(order, market, marks, serverSeconds(listing, expirationMs));
  if (request === undefined) throw new NeedsEngineError('an order was refused');
  const { type, volume, type_filling: filling } = request;
  requireAccepted(desk, request, volumeRefusal(spec, volume) ?? fillingRefusal(spec, type, filling));
  if (marginMultiplier(spec, type) !== 0) throw new NeedsEngineError('pending orders reserve margin');
  return { request, expiresMs: expiresMs(desk, request), expirationMs };
}

/** A change of a pending order. @returns and @throws as {@link placingOf} */
export function changeOf(
  desk: PlacingDesk,
  order: KernelOrder,
  { expiration, ...fields }: ModifyOrderRequest,
): Placing | OrderRefusal {
  const { listing, limits, market } = desk;
  const asked = { ...fields, expirationMs: expiration === undefined ? null : Date.parse(expiration) };
  const request = changeDraft(order, asked, market.info, serverSeconds(listing, asked.expirationMs));
  if (request instanceof OrderRefusal) return request;
  const unfit = changeRefusal(order, asked, request, market, limits);
  if (unfit !== null) return unfit;
  if (!isUnchanged(order, request)) requireAccepted(desk, { ...request, type: order.type }, null);
  const expirationMs = fields.clear_expiration === true ? null : (asked.expirationMs ?? order.expirationMs);
  return { request, expiresMs: expiresMs(desk, request), expirationMs };
}

function requireAccepted({ listing, market }: PlacingDesk, request: TradeRequest, refused: object | null): void {
  const { spec } = listing;
  const { type, sl, tp } = request;
  if (!listing.isOpen(market.nowMs)) throw new NeedsEngineError('the market was closed');
  const refusal = refused ?? orderModeRefusal(spec, type, sl, tp) ?? pendingLevelsRefusal(spec, request, market.tick);
  if (refusal !== null) throw new NeedsEngineError('an order was refused');
}

function serverSeconds({ clock }: Listing, utcMs: number | null): number | null {
  return utcMs === null ? null : Math.floor(clock.serverMs(utcMs) / 1_000);
}

function expiresMs({ listing, market }: PlacingDesk, { type_time, expiration }: TradeRequest): number {
  const { spec, clock } = listing;
  const isKnown = type_time === OrderTime.GTC || type_time === OrderTime.SPECIFIED;
  if (!isKnown || (spec.expiration_mode & (1 << type_time)) === 0) throw new NeedsEngineError('an order was refused');
  if (type_time === OrderTime.GTC) return Number.POSITIVE_INFINITY;
  const lapsesMs = clock.utcMs(expiration * 1_000);
  if (lapsesMs > market.nowMs) return lapsesMs;
  throw new NeedsEngineError('an order was refused');
}
