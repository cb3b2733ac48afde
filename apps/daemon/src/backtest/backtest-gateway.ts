import { statusOfErrorType, type ErrorType } from '@libs/envelope/error-types';
import type {
  ClosePositionRequest,
  ModifyOrderRequest,
  ModifySlTpRequest,
  OrderAnswer,
  OrderRequest,
  RefusedOutcome,
  TradeOutcome,
  UnknownOutcome,
} from '@libs/gateway-client';
import {
  brokerRejection,
  cancelDraft,
  changeDraft,
  changeRefusal,
  closeDrafts,
  defaultDeviation,
  entryRefusal,
  levelsDraft,
  noOpenPosition,
  noPendingOrder,
  orderDrafts,
  orderOnMarket,
  OrderRefusal,
  orderWithinLimits,
  symbolAllowed,
  tryFillingsNow,
  volumeToClose,
  wasAlreadySo,
  type Market,
  type OrderFields,
  type OrderLimits,
  type ProposedOrder,
  type OperatorLimits,
} from '@libs/order-drafts';
import {
  isRetryable,
  Retcode,
  type OrderCheckResult,
  retcodeClass,
  TradeAction,
  type OrderSendResult,
  type SendOutcome,
  type TradePosition,
  type TradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import type { IntentCall } from '../core/intent-call';
import { BacktestExposure } from './backtest-exposure';
import type { BacktestMarket } from './backtest-market';

type Answer = Exclude<TradeOutcome<OrderAnswer>, UnknownOutcome>;

/** The simulated broker of a backtest has accounts of this kind only. */
const isHedging = true;

/** The comment of every order; a gateway writes a tag of the idempotency key. */
const comment = '';

/**
 * What the gateway does between a request and the broker: the same checks in the same order, the same drafts and the same
 * errors. It has no journal, because the broker in this process loses no answer.
 */
export class BacktestGateway {
  private readonly exposure: BacktestExposure;

  constructor(
    private readonly market: BacktestMarket,
    private readonly limits: OperatorLimits,
    /** Market time that a request takes to reach the broker, in milliseconds. */
    readonly latencyMs: number,
  ) {
    this.exposure = new BacktestExposure(market);
  }

  /**
   * Sends a trade request once. Its outcome is always known. The market moves on by the latency before.
   * @param key seals the request
   */
  send(call: IntentCall, key: string): Answer {
    if (this.latencyMs > 0) this.market.advanceTo(this.market.nowMs + this.latencyMs);
    if (call.method === 'DELETE') return this.cancel(key, orderOf(call));
    if (call.method === 'PUT') return this.changeOrder(key, orderOf(call), call.body);
    switch (call.path) {
      case '/order':
        return this.enter(key, call.body);
      case '/close_position':
        return this.close(key, call.body);
      case '/modify_sl_tp':
        return this.changeLevels(key, call.body);
    }
  }

  private enter(key: string, request: OrderRequest): Answer {
    const { magic = 0, symbol } = request;
    const market = this.read(symbol);
    const order = judgedOrder(request, this.limits.orders, market);
    if (order instanceof OrderRefusal) return refused(order);
    if (!market || !order) return noQuote(symbol);
    const tooMuch = this.entryRefusal(order);
    if (tooMuch) return refused(tooMuch);
    const drafts = orderDrafts(order, market, { magic, comment }, this.serverSeconds(order.expirationMs));
    return tryFillingsNow(drafts, (draft) => this.checkAndSend(key, draft), retcodeOf);
  }

  private close(key: string, { position: named }: ClosePositionRequest): Answer {
    const { ticket, volume = null } = typeof named === 'number' ? { ticket: named } : named;
    const position = this.position(ticket);
    if (!position) return notFound(noOpenPosition(ticket));
    const market = this.read(position.symbol);
    if (!market) return noQuote(position.symbol);
    const asked = { volume, volumeField: 'position.volume', partOnly: false };
    const lots = volumeToClose(asked, position, market.info);
    if (lots instanceof OrderRefusal) return refused(lots);
    const purpose = lots < position.volume ? 'close_partial' : 'close';
    const deviation = defaultDeviation(this.limits.orders);
    const drafts = closeDrafts(position, lots, market, { deviation, comment });
    return tryFillingsNow(drafts, (draft) => this.toBroker(key, purpose, draft), retcodeOf);
  }

  private changeLevels(key: string, { position: ticket, ...change }: ModifySlTpRequest): Answer {
    const position = this.position(ticket);
    if (!position) return notFound(noOpenPosition(ticket));
    const market = this.read(position.symbol);
    if (!market) return noQuote(position.symbol);
    const draft = levelsDraft(position, change, market);
    return draft instanceof OrderRefusal ? refused(draft) : this.toBroker(key, 'modify_levels', draft);
  }

  private changeOrder(key: string, ticket: number, { expiration, ...fields }: ModifyOrderRequest): Answer {
    const [order] = this.market.terminal.ordersGet({ ticket });
    if (!order) return notFound(noPendingOrder(ticket));
    const limits = this.limits.orders;
    const notAllowed = symbolAllowed(order, limits);
    if (notAllowed) return refused(notAllowed);
    const market = this.read(order.symbol);
    if (!market) return noQuote(order.symbol);
    const change = { ...fields, expirationMs: expiration === undefined ? null : Date.parse(expiration) };
    const draft = changeDraft(order, change, market.info, this.serverSeconds(change.expirationMs));
    if (draft instanceof OrderRefusal) return refused(draft);
    const unfit = changeRefusal(order, change, draft, market, limits);
    return unfit ? refused(unfit) : this.toBroker(key, 'modify_order', draft);
  }

  private cancel(key: string, ticket: number): Answer {
    const [order] = this.market.terminal.ordersGet({ ticket });
    return order ? this.toBroker(key, 'cancel', cancelDraft(order)) : notFound(noPendingOrder(ticket));
  }

  /** On a hedging account, the only kind here, an entry adds all of its volume. */
  private entryRefusal({ symbol, volume }: ProposedOrder): OrderRefusal | null {
    const { entries } = this.limits;
    if (entries === null) return null;
    return entryRefusal({ symbol, addedVolume: volume }, this.exposure.read(entries), entries);
  }

  private position(ticket: number): TradePosition | null {
    const [position] = this.market.terminal.positionsGet({ ticket });
    return position ?? null;
  }

  /** The symbol and its quote; null without a quote to trade by. */
  private read(symbol: string): Market | null {
    const info = this.market.terminal.symbolTerms(symbol);
    const tick = this.market.terminal.symbolInfoTick(symbol);
    return info && tick && tick.bid > 0 && tick.ask > 0 ? { info, tick, nowMs: this.market.nowMs } : null;
  }

  private serverSeconds(utcMs: number | null): number | null {
    return utcMs === null ? null : Math.floor(this.market.serverMs(utcMs) / 1_000);
  }

  private checkAndSend(key: string, draft: TradeRequest): Answer {
    const retcode = this.market.terminal.checkedRetcode(draft);
    if (retcode !== 0) {
      const check = retcode === Retcode.NO_MONEY ? this.market.terminal.orderCheck(draft) : null;
      return brokerRejected(retcode, null, check);
    }
    this.exposure.noteSent(key);
    return this.toBroker(key, 'open', draft, true);
  }

  private toBroker(key: string, purpose: string, draft: TradeRequest, isChecked = false): Answer {
    return answerOf(purpose, draft, this.market.terminal.orderSend(sealRequest(key, draft), isChecked));
  }
}

/**
 * The order of a request on the grids of its symbol, or why it is not sent, by the rules that need no books.
 * @param market null without a quote to trade by
 * @returns null where the request passes what can be judged without a quote
 */
export function judgedOrder(
  request: OrderRequest,
  limits: OrderLimits,
  market: Market | null,
): ProposedOrder | OrderRefusal | null {
  const proposed = orderWithinLimits(fieldsOf(request), limits);
  if (proposed instanceof OrderRefusal) return proposed;
  return market && orderOnMarket(proposed, market, limits, isHedging);
}

/** Member by member: V8 adds members to a spread many times slower. */
function fieldsOf(request: OrderRequest): OrderFields {
  return {
    symbol: request.symbol,
    type: request.type,
    volume: request.volume,
    price: request.price ?? null,
    stoplimit: request.stoplimit ?? null,
    sl: request.sl ?? null,
    tp: request.tp ?? null,
    deviation: request.deviation ?? null,
    type_filling: request.type_filling ?? null,
    expirationMs: request.expiration === undefined ? null : Date.parse(request.expiration),
  };
}

function orderOf({ path }: { readonly path: `/orders/${number}` }): number {
  return Number(path.slice('/orders/'.length));
}

function answerOf(purpose: string, draft: TradeRequest, outcome: SendOutcome): Answer {
  if (outcome.kind !== 'answered') return brokerRejected(null, outcome.lastError);
  const { result } = outcome;
  const { retcode, order } = result;
  const isDone = retcodeClass(retcode) === 'done' || wasAlreadySo(purpose, retcode);
  if (!isDone) return brokerRejected(retcode, null);
  const state = purpose === 'open' ? { state: stateOf(draft, result) } : {};
  return { kind: 'done', status: 200, replayed: false, body: { result: { retcode, order }, ...state } };
}

function stateOf({ action, volume }: TradeRequest, result: OrderSendResult): NonNullable<OrderAnswer['state']> {
  if (action === TradeAction.PENDING || result.retcode === Retcode.PLACED) return 'placed';
  return result.retcode === Retcode.DONE_PARTIAL || result.volume < volume ? 'partially_executed' : 'executed';
}

function brokerRejected(
  retcode: number | null,
  lastError: { code: number; message: string } | null,
  check: OrderCheckResult | null = null,
): Answer {
  const terminalError = { retcode, retcode_name: null, comment: null };
  const retryable = retcode !== null && isRetryable(retcode);
  return { ...rejected('broker_rejected', brokerRejection(retcode, lastError, check)), retryable, terminalError };
}

/** The answer to a request that is not sent. */
export function refused({ errorType, message }: OrderRefusal): ReturnType<typeof rejected> {
  return rejected(errorType, message);
}

function notFound(message: string): Answer {
  return rejected('not_found', message);
}

function noQuote(symbol: string): Answer {
  return rejected('terminal_unavailable', `${symbol} has no quote`);
}

function rejected(errorType: ErrorType, error: string): RefusedOutcome & { readonly kind: 'rejected' } {
  const status = statusOfErrorType[errorType];
  return { kind: 'rejected', status, errorType, error, retryable: false, details: null, terminalError: null };
}

function retcodeOf(answer: Answer): number | null {
  return answer.kind === 'rejected' ? (answer.terminalError?.retcode ?? null) : null;
}
