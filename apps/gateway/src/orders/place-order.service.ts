import { Inject, Injectable } from '@nestjs/common';
import {
  fillingNames,
  isMarketOrder,
  terminalComment,
  tryFillings,
  type OrderMarks,
  type RejectedRequest,
} from '@libs/order-drafts';
import {
  isBuyOrder,
  PositionType,
  TradeAction,
  type TerminalClient,
  type TradeRequest,
  type TradePosition,
  samePrice,
} from '@libs/terminal-client';
import { EntryLimitsGate } from '../entry-limits/entry-limits';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { isQuoteYoung, refuseOldQuote } from '../pre-trade/quote-age';
import { Stopping } from '../stopping/stopping';
import { SymbolService } from '../symbols/symbol.service';
import { TerminalAccess } from '../terminal/terminal-access';
import { magicOfKey, tagOfKey } from '../trade-journal/key-marks';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender, type SendGuard, type Sent } from '../trade-journal/trade-sender';
import { FillConfirmation } from './fill-confirmation';
import type { Fill } from './fill';
import { orderAnswer } from './order-answer';
import { OrderPreparation, type PreparedOrder } from './order-preparation.service';
import type { OrderRequest, TimeType } from './order.request';
import type { OrderResponse } from './order.response';
import { brokerRejected, requireDone, retcodeOf } from './send-errors';

interface Guarded {
  readonly isExit: boolean;
  readonly guard: SendGuard;
}

interface Levels {
  readonly position: number | null;
  readonly slConfirmed: boolean | null;
  readonly tpConfirmed: boolean | null;
}

/** Places a market or pending order. */
@Injectable()
export class PlaceOrderService {
  constructor(
    private readonly preparation: OrderPreparation,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
    private readonly confirmation: FillConfirmation,
    private readonly entryLimits: EntryLimitsGate,
    private readonly stopping: Stopping,
    private readonly symbols: SymbolService,
    @Inject(GATEWAY_SETTINGS) private readonly settings: Pick<GatewaySettings, 'MAX_QUOTE_AGE_SECONDS'>,
  ) {}

  async place(attempt: TradeAttempt, body: OrderRequest & TimeType): Promise<TradeAnswer<OrderResponse>> {
    this.stopping.refuseEntries();
    const prepare = (): Promise<PreparedOrder> => this.preparation.prepare(body, marksOf(attempt, body));
    const first = await prepare();
    await this.terminal.requireTradable();
    await this.terminal.requireExplained();
    const { isExit, guard } = await this.guardOf(first.order);
    const prepared = isExit ? first : await this.onYoungQuote(first, prepare);
    const terminal = await this.terminal.connected();
    const { request, intentId, outcome } = await this.sendAdmitted(attempt, prepared, guard);
    const result = requireDone(outcome, attempt.clientOrderId, this.subject(prepared));
    const { digits } = prepared.market.info;
    const placed = { request, result, digits, clientOrderId: attempt.clientOrderId };
    if (request.action === TradeAction.PENDING) {
      const order = await this.confirmation.placedOrder(terminal, attempt, intentId, result);
      const levels = await this.pendingLevels(terminal, order, request, prepared);
      return answered(orderAnswer({ ...placed, ...levels, order, fill: null }));
    }
    const fill = await this.confirmation.fill(terminal, attempt, intentId, result);
    const levels = await this.positionLevels(terminal, fill, request, prepared);
    return answered(orderAnswer({ ...placed, ...levels, order: fill.order, fill }));
  }

  /** An entry that relies on a quote of a known age: it waits for a new one, and is prepared again, before it is refused. */
  private async onYoungQuote(first: PreparedOrder, prepare: () => Promise<PreparedOrder>): Promise<PreparedOrder> {
    const { MAX_QUOTE_AGE_SECONDS: limit } = this.settings;
    if (limit === undefined || isQuoteYoung(first.market.ageSeconds, limit)) return first;
    await this.symbols.awaitQuote(first.order.symbol, limit);
    const prepared = await prepare();
    refuseOldQuote(prepared.order.symbol, prepared.market.ageSeconds, limit);
    return prepared;
  }

  /** What an order does with the levels of the position that its symbol has on an account that nets. */
  private async guardOf(order: PreparedOrder['order']): Promise<Guarded> {
    if (this.terminal.isHedging || !isMarketOrder(order.type)) return { isExit: false, guard: {} };
    const opposite = isBuyOrder(order.type) ? PositionType.SELL : PositionType.BUY;
    const position = await this.positionOf(order.symbol);
    // An order that can only reduce the position is an exit, and leaves its levels as they are.
    const isExit = position?.type === opposite && order.volume <= position.volume;
    return { isExit, guard: isExit ? {} : { levels: 'replaces' } };
  }

  /** The known position of a symbol; one that was opened since the last look at the account is read. */
  private async positionOf(symbol: string): Promise<TradePosition | undefined> {
    const known = this.terminal.knownPositions().find((position) => position.symbol === symbol);
    if (known) return known;
    const rows = this.terminal.read((terminal) => terminal.positionsGet({ symbol }));
    // A position that cannot be read makes an entry of the order, with all that an entry has to wait for.
    return (await rows.catch(() => []))[0];
  }

  /** Reserves the order's capacity while it is in flight; the outcome keeps or releases it. */
  private async sendAdmitted(
    attempt: TradeAttempt,
    prepared: PreparedOrder,
    guard: SendGuard,
  ): ReturnType<PlaceOrderService['send']> {
    const admission = await this.entryLimits.admit(attempt, prepared.order);
    try {
      this.stopping.refuseEntries();
      return await this.send(attempt, prepared, guard);
    } finally {
      admission.end();
    }
  }

  /** Sends each permitted filling at most once. */
  private async send(
    attempt: TradeAttempt,
    prepared: PreparedOrder,
    guard: SendGuard,
  ): Promise<Sent & { readonly request: TradeRequest }> {
    const { drafts, market } = prepared;
    const tried = await tryFillings(
      drafts,
      async (request) => {
        const check = await this.preparation.check(request);
        if (check.retcode !== 0) return { check, sent: null };
        const purpose = request.action === TradeAction.PENDING ? 'place_pending' : 'open';
        const intent = {
          purpose,
          request,
          serverTimeMsc: market.tick.time_msc,
          positionId: 0,
          positionVolume: 0,
        } as const;
        const sent = await this.sender.send(attempt, intent, guard);
        return { check, sent: { request, ...sent } };
      },
      ({ check, sent }) => (sent ? retcodeOf(sent.outcome) : check.retcode),
    );
    if (!tried.sent) throw brokerRejected(tried.check, null, this.subject(prepared));
    return tried.sent;
  }

  private subject({ order, market: { info } }: PreparedOrder): RejectedRequest {
    const { tradingObstacle: obstacle, currencyDigits } = this.terminal;
    return { info, fillings: fillingNames(order.type, info), obstacle, currencyDigits };
  }

  private async positionLevels(
    terminal: TerminalClient,
    fill: Fill,
    request: TradeRequest,
    { market }: PreparedOrder,
  ): Promise<Levels> {
    if (fill.source === 'unresolved') return { position: null, slConfirmed: null, tpConfirmed: null };
    const isAsked = request.sl > 0 || request.tp > 0;
    const position = isAsked
      ? await this.confirmation.position(terminal, request.symbol, fill)
      : await this.confirmation.positionAtOnce(terminal, request.symbol, fill);
    return { position: position?.ticket ?? null, ...confirmed(request, position, market.info) };
  }

  private async pendingLevels(
    terminal: TerminalClient,
    ticket: number | null,
    request: TradeRequest,
    { market }: PreparedOrder,
  ): Promise<Levels> {
    const isAsked = request.sl > 0 || request.tp > 0;
    const order = isAsked && ticket !== null ? await this.confirmation.pendingOrder(terminal, ticket) : null;
    return { position: null, ...confirmed(request, order, market.info) };
  }
}

function marksOf(attempt: TradeAttempt, body: OrderRequest): OrderMarks {
  return {
    magic: body.magic ?? magicOfKey(attempt.key),
    comment: body.comment == null ? tagOfKey(attempt.key) : terminalComment(body.comment),
  };
}

/** Whether the record has the requested levels. */
function confirmed(
  asked: Pick<TradeRequest, 'sl' | 'tp'>,
  actual: Pick<TradeRequest, 'sl' | 'tp'> | null,
  grid: PreparedOrder['market']['info'],
): Pick<Levels, 'slConfirmed' | 'tpConfirmed'> {
  const verdict = (level: 'sl' | 'tp'): boolean | null =>
    asked[level] === 0 || actual === null ? null : samePrice(asked[level], actual[level], grid);
  return { slConfirmed: verdict('sl'), tpConfirmed: verdict('tp') };
}
