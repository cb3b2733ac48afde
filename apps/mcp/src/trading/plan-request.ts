import { tradeCalls, type GatewayClient, type OrderRecord, type PositionRecord } from '@libs/gateway-client';
import type { TradePlan, TradeWish } from './trade-plan';

/** A wish that cannot become a request. Nothing was sent. */
export class WishRefusedError extends Error {}

type Wish<Kind extends TradeWish['kind']> = Extract<TradeWish, { kind: Kind }>;
type Account = Pick<TradePlan, 'login' | 'currency' | 'tradeMode'>;
/** Points that the gateway lets the price of a market order move against it, if the order does not say. */
const defaultDeviation = 20;
type Parts = Omit<TradePlan, keyof Account>;
type Side = 'BUY' | 'SELL';

/** By the number of the terminal. */
const orderTypes = [
  ...(['BUY', 'SELL', 'BUY_LIMIT', 'SELL_LIMIT'] as const),
  ...(['BUY_STOP', 'SELL_STOP', 'BUY_STOP_LIMIT', 'SELL_STOP_LIMIT'] as const),
] as const;
type OrderTypeWord = (typeof orderTypes)[number];

/**
 * The exact request of a wish, with its margin and its money at risk by the prices of this moment. Nothing is sent.
 * @param magic the magic number of new orders
 * @param login the account that it has to be for; null: that of the gateway
 * @throws WishRefusedError, GatewayReadError
 */
export async function planOf(
  wish: TradeWish,
  magic: number,
  login: number | null,
  gatewayFor: (login: number | null) => GatewayClient,
): Promise<TradePlan> {
  const account = await gatewayFor(login).reads.account();
  // All of it is of one account, even if the gateway logs in to another one meanwhile.
  const parts = await partsOf(wish, magic, gatewayFor(account.login));
  return { login: account.login, currency: account.currency, tradeMode: account.trade_mode, ...parts };
}

function partsOf(wish: TradeWish, magic: number, gateway: GatewayClient): Promise<Parts> {
  switch (wish.kind) {
    case 'order':
      return newOrder(wish, magic, gateway);
    case 'close':
      return close(wish, gateway);
    case 'levels':
      return levels(wish, gateway);
    case 'order_change':
      return orderChange(wish, gateway);
    case 'cancel':
      return cancel(wish, gateway);
  }
}

async function newOrder({ order }: Wish<'order'>, magic: number, gateway: GatewayClient): Promise<Parts> {
  const { symbol, volume, type, price, stoplimit, sl, deviation = defaultDeviation } = order;
  const isMarket = type === 'BUY' || type === 'SELL';
  if (isMarket && price !== undefined) throw new WishRefusedError('price must be absent: a market order has none');
  const request = { ...order, magic };
  const check = await gateway.reads.orderCheck(request);
  if (!check.valid) throw new WishRefusedError(`the terminal refuses the order: ${check.retcode_name}`);
  const side = sideOf(type);
  const open = isMarket ? await marketPrice(symbol, side, gateway) : (stoplimit ?? price);
  if (open === undefined) throw new WishRefusedError(`price must be given: ${type} is a pending order`);
  const margin = await gateway.reads.orderCalcMargin({ symbol, volume, type, price: open });
  // At the worst price that the order accepts.
  const slippage = isMarket ? deviation * (await gateway.reads.symbolInfo(symbol)).point : 0;
  const worst = side === 'BUY' ? open + slippage : Math.max(open - slippage, Number.MIN_VALUE);
  const atRisk = await lossAt(gateway, { symbol, side, lots: volume, open: worst, stop: sl ?? 0 });
  const at = isMarket ? '' : ` at ${price}`;
  return {
    action: 'open',
    call: tradeCalls.order(request),
    ticket: null,
    symbol,
    lots: volume,
    magic,
    words: `${type.replaceAll('_', ' ')} ${volume} ${symbol}${at}`,
    margin,
    atRisk,
  };
}

async function close({ position: ticket, volume }: Wish<'close'>, gateway: GatewayClient): Promise<Parts> {
  const position = await positionOf(ticket, gateway);
  const lots = volume ?? position.volume;
  if (lots > position.volume) throw new WishRefusedError(`volume must be at most ${position.volume}, the position's`);
  // With its volume, so that a position that grows is not closed further than was approved.
  const call = tradeCalls.closePosition({ position: ticket, volume: lots });
  const loss = Math.max(0, -(position.profit * lots) / position.volume);
  const { symbol, magic } = position;
  const words = `CLOSE ${ticket} ${lots} ${symbol}`;
  return { action: 'close', call, ticket, symbol, lots, magic, words, margin: null, atRisk: loss };
}

async function levels({ kind: _kind, ...request }: Wish<'levels'>, gateway: GatewayClient): Promise<Parts> {
  const position = await positionOf(request.position, gateway);
  const { ticket, symbol, volume: lots, magic, price_open: open } = position;
  const sl = levelAfter(request.sl, request.clear_sl, position.sl);
  const tp = levelAfter(request.tp, request.clear_tp, position.tp);
  if (sl === position.sl && tp === position.tp) throw new WishRefusedError('sl or tp must change');
  const side = position.type === 0 ? 'BUY' : 'SELL';
  const atRisk = await lossAt(gateway, { symbol, side, lots, open, stop: sl });
  const words = `LEVELS ${ticket} SL ${sl} TP ${tp}`;
  const call = tradeCalls.modifySlTp(request);
  return { action: 'change', call, ticket, symbol, lots, magic, words, margin: null, atRisk };
}

async function orderChange(wish: Wish<'order_change'>, gateway: GatewayClient): Promise<Parts> {
  const { kind: _kind, order: ticket, ...request } = wish;
  if (Object.keys(request).length === 0) throw new WishRefusedError('price, stoplimit, sl or tp must change');
  const order = await orderOf(ticket, gateway);
  const { symbol, volume_current: lots, magic } = order;
  const sl = levelAfter(request.sl, request.clear_sl, order.sl);
  const tp = levelAfter(request.tp, request.clear_tp, order.tp);
  const price = request.price ?? order.price_open;
  const stoplimit = request.stoplimit ?? order.price_stoplimit;
  const type = orderTypes[order.type];
  if (type === undefined) throw new WishRefusedError(`order ${ticket} is of a type that this server does not know`);
  const open = stoplimit > 0 ? stoplimit : price;
  const atRisk = await lossAt(gateway, { symbol, side: sideOf(type), lots, open, stop: sl });
  const words = `ORDER ${ticket} PRICE ${price} SL ${sl} TP ${tp}`;
  const call = tradeCalls.modifyOrder(ticket, request);
  return { action: 'change', call, ticket, symbol, lots, magic, words, margin: null, atRisk };
}

async function cancel({ order: ticket }: Wish<'cancel'>, gateway: GatewayClient): Promise<Parts> {
  const { symbol, volume_current: lots, magic } = await orderOf(ticket, gateway);
  const call = tradeCalls.cancelOrder(ticket);
  const words = `CANCEL ${ticket} ${symbol}`;
  return { action: 'cancel', call, ticket, symbol, lots, magic, words, margin: null, atRisk: 0 };
}

async function positionOf(ticket: number, gateway: GatewayClient): Promise<PositionRecord> {
  const position = (await gateway.reads.positions({ ticket })).find((row) => row.ticket === ticket);
  if (position === undefined) throw new WishRefusedError(`there is no open position ${ticket}`);
  return position;
}

async function orderOf(ticket: number, gateway: GatewayClient): Promise<OrderRecord> {
  const order = (await gateway.reads.orders({ ticket })).find((row) => row.ticket === ticket);
  if (order === undefined) throw new WishRefusedError(`there is no pending order ${ticket}`);
  return order;
}

async function marketPrice(symbol: string, side: Side, gateway: GatewayClient): Promise<number> {
  const { ask, bid } = await gateway.reads.symbolInfoTick(symbol);
  const price = side === 'BUY' ? ask : bid;
  if (!(price > 0)) throw new WishRefusedError('there is no price of the symbol now');
  return price;
}

interface Stopped {
  readonly symbol: string;
  readonly side: Side;
  readonly lots: number;
  readonly open: number;
  /** 0: none. */
  readonly stop: number;
}

/** The loss at the stop loss, 0 if it would be a profit; null without a stop loss. */
async function lossAt(gateway: GatewayClient, { symbol, side, lots, open, stop }: Stopped): Promise<number | null> {
  if (!(stop > 0)) return null;
  const query = { symbol, volume: lots, type: side, price_open: open, price_close: stop };
  return Math.max(0, -(await gateway.reads.orderCalcProfit(query)));
}

function sideOf(type: OrderTypeWord): Side {
  return type.startsWith('BUY') ? 'BUY' : 'SELL';
}

function levelAfter(wished: number | undefined, isCleared: boolean | undefined, before: number): number {
  return isCleared === true ? 0 : (wished ?? before);
}
