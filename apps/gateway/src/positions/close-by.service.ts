import { Injectable } from '@nestjs/common';
import { mutation, validationError, type ApiError } from '@libs/envelope';
import { closeByDraft, notStatedPosition, terminalComment, type Market } from '@libs/order-drafts';
import { type closeAnswerFields, lotsText, priceText, type RecordOf, volumeText } from '@libs/records';
import type { OrderSendResult, TradePosition, TradeRequest } from '@libs/terminal-client';
import { FillConfirmation } from '../orders/fill-confirmation';
import { isOnlyAccepted, type Fill } from '../orders/fill';
import { KeptValues } from '../orders/kept-values';
import { MarketReader } from '../orders/market-reader';
import type { MutationResponse } from '../orders/order.response';
import { requireDone } from '../orders/send-errors';
import { sendResultBody } from '../orders/send-result.response';
import { unlessRefused } from '../pre-trade/refusal-error';
import { TerminalAccess } from '../terminal/terminal-access';
import { tagOfKey } from '../trade-journal/key-marks';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { LivePositions } from './live-positions';
import { remainingVolume } from './remaining-volume';

/** Two opposite positions of one symbol, by their tickets. */
export interface CloseByOrder {
  readonly ticket: number;
  readonly oppositeTicket: number;
  /** That the client states; null: none. */
  readonly symbol: string | null;
  readonly comment: string | null;
}

/** What is known of a close by that the broker accepted. */
export interface ClosedBy {
  readonly ticket: number;
  readonly oppositeTicket: number;
  readonly result: OrderSendResult;
  readonly fill: Fill;
  /** Lots of each that remain open. */
  readonly remaining: number;
  readonly oppositeRemaining: number;
  readonly digits?: number | undefined;
}

interface PlannedCloseBy {
  readonly position: TradePosition;
  readonly opposite: TradePosition;
  readonly market: Market;
  readonly request: TradeRequest;
}

/** Closes a position by an opposite one. It changes what is open as two closes do, without a second spread. */
@Injectable()
export class CloseByService {
  constructor(
    private readonly positions: LivePositions,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
    private readonly confirmation: FillConfirmation,
    private readonly kept: KeptValues,
  ) {}

  async close(attempt: TradeAttempt, order: CloseByOrder): Promise<TradeAnswer<ClosedByBody>> {
    const comment = order.comment === null ? tagOfKey(attempt.key) : terminalComment(order.comment);
    const { position, opposite, market, request } = await this.planned(order, comment);
    const terminal = await this.terminal.connected();
    const { intentId, outcome } = await this.sender.send(attempt, {
      purpose: 'close_by',
      request,
      serverTimeMsc: market.tick.time_msc,
      positionId: position.identifier,
      positionVolume: position.volume,
      openedMsc: position.time_msc,
      by: {
        positionId: opposite.identifier,
        positionVolume: opposite.volume,
        magic: opposite.magic,
        openedMsc: opposite.time_msc,
      },
    });
    const { info } = market;
    const result = requireDone(outcome, attempt.clientOrderId, { info, obstacle: this.terminal.tradingObstacle });
    const fill = await this.confirmation.closingFill(terminal, attempt, intentId, result);
    const closed = isOnlyAccepted(result, fill) ? 0 : (fill.volume ?? Math.min(position.volume, opposite.volume));
    const remaining = await this.remaining(position, closed);
    const oppositeRemaining = await this.remaining(opposite, closed);
    const { ticket, oppositeTicket } = order;
    const by = { ticket, oppositeTicket, result, fill, remaining, oppositeRemaining, digits: info.digits };
    return answered(closeByAnswer(by, attempt.clientOrderId));
  }

  /** The request of an order, all judged and not sent. @throws ApiError as {@link close} */
  async planned(order: CloseByOrder, comment: string): Promise<PlannedCloseBy> {
    await this.terminal.connected();
    if (!this.terminal.isHedging) throw notHedging();
    const position = this.kept.left(await this.positions.requireForExit(order.ticket));
    const opposite = this.kept.left(await this.positions.requireForExit(order.oppositeTicket));
    unlessRefused(notStatedPosition(order, position));
    const market = await this.reader.market(position.symbol);
    const request = unlessRefused(closeByDraft(position, opposite, market.info, comment));
    return { position, opposite, market, request };
  }

  /** Of a position that was closed whole nothing can remain, whatever a list shows that lags. */
  private async remaining(position: TradePosition, closed: number): Promise<number> {
    if (closed >= position.volume) return 0;
    return remainingVolume(position.volume, closed, await this.positions.now(position), Infinity);
  }
}

/** What a close by answers. */
export type ClosedByBody = MutationResponse &
  Pick<RecordOf<typeof closeAnswerFields>, 'state' | 'position' | 'remaining_volume' | 'profit'> & {
    readonly remaining_volume_by: number;
  };

/** The 200 of a close by. */
export function closeByAnswer(by: ClosedBy, clientOrderId: string | null): ClosedByBody {
  const { ticket, result, fill, remaining, oppositeRemaining } = by;
  const body = sendResultBody(result);
  const isAccepted = isOnlyAccepted(result, fill);
  return mutation(
    messageOf(by, isAccepted),
    { ...body, deal: fill.deal ?? body.deal, order: body.order ?? fill.order, volume: fill.volume, price: fill.price },
    {
      state: isAccepted ? 'placed' : remaining > 0 ? 'partially_closed' : 'closed',
      position: ticket,
      remaining_volume: remaining,
      remaining_volume_by: oppositeRemaining,
      profit: fill.profit,
      client_order_id: clientOrderId,
    } as const,
  );
}

function messageOf({ ticket, oppositeTicket, fill, digits, ...by }: ClosedBy, isAccepted: boolean): string {
  const pair = `position ${ticket} by position ${oppositeTicket}`;
  if (isAccepted) return `the close of ${pair} was accepted; no fill was seen yet`;
  const volume = fill.volume === null ? '' : `${lotsText(fill.volume)} of `;
  const at = fill.price === null ? '' : ` at ${priceText(fill.price, digits)}`;
  const left = `${volumeText(by.remaining)} and ${volumeText(by.oppositeRemaining)} lots remain open`;
  return `${volume}${pair} closed${at}; ${left}`;
}

/** An account that nets has no two positions of one symbol. */
function notHedging(): ApiError {
  return validationError({
    field: 'action',
    problem: 'close by (10) is for hedging accounts; this account has one position for each symbol: close that',
  });
}
