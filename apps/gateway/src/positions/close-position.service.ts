import { Injectable } from '@nestjs/common';
import {
  closeDrafts,
  closingFilling,
  defaultDeviation,
  deviationLimit,
  notStatedPosition,
  terminalComment,
  tryFillings,
  volumeToClose,
  wasAlreadySo,
  type CloseTerms,
  type CloseVolume,
  type Market,
  type StatedPosition,
} from '@libs/order-drafts';
import type { OrderFilling, OrderSendResult, TradePosition } from '@libs/terminal-client';
import { FillConfirmation } from '../orders/fill-confirmation';
import { isOnlyAccepted, type Fill } from '../orders/fill';
import { KeptValues } from '../orders/kept-values';
import { MarketReader } from '../orders/market-reader';
import { requireDone, retcodeOf } from '../orders/send-errors';
import { unlessRefused } from '../pre-trade/refusal-error';
import { TerminalAccess } from '../terminal/terminal-access';
import { tagOfKey } from '../trade-journal/key-marks';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { LivePositions } from './live-positions';
import { remainingVolume } from './remaining-volume';

/** The part of a position to close, and what the client states about the position. */
export interface CloseOrder extends CloseVolume, StatedPosition {
  readonly ticket: number;
  /** Points; null: the default. */
  readonly deviation: number | null;
  readonly comment: string | null;
  /** Null: the current quote. */
  readonly price?: number | null;
  /** Null: each that the symbol permits. */
  readonly filling?: OrderFilling | null;
}

/** The result of a close. */
export interface ClosedPosition {
  readonly ticket: number;
  readonly position: TradePosition;
  readonly result: OrderSendResult;
  readonly fill: Fill;
  /** Lots. */
  readonly closedVolume: number;
  readonly remainingVolume: number;
  /** The position was already closed; the broker had nothing to close. */
  readonly alreadyClosed: boolean;
  /** No list shows yet that it was already closed: it may be open. */
  readonly isDoubtful: boolean;
  /** Digits of the symbol's prices, for the message; absent if they are not known. */
  readonly digits?: number | undefined;
}

/** A close that was judged and not sent. */
interface PlannedClose {
  readonly position: TradePosition;
  /** Lots. */
  readonly volume: number;
  readonly market: Market;
  readonly terms: Omit<CloseTerms, 'comment'> & { readonly comment: string | null };
}

/** Closes a position or a part of it, always by its ticket, so that no opposite position is opened. */
@Injectable()
export class ClosePositionService {
  constructor(
    private readonly positions: LivePositions,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
    private readonly confirmation: FillConfirmation,
    private readonly kept: KeptValues,
  ) {}

  async close(attempt: TradeAttempt, order: CloseOrder): Promise<ClosedPosition> {
    const { position, volume, market, terms } = await this.planned(order);
    return this.closeLive(attempt, position, volume, market, terms);
  }

  /** What an order closes, and on which terms: all that is judged before anything is sent. @throws ApiError as {@link close} */
  async planned(order: CloseOrder): Promise<PlannedClose> {
    const deviation = order.deviation ?? defaultDeviation(this.reader.limits);
    unlessRefused(deviationLimit({ deviation }, this.reader.limits));
    await this.terminal.connected();
    const position = this.kept.left(await this.positions.requireForExit(order.ticket));
    unlessRefused(notStatedPosition(order, position));
    const market = await this.reader.market(position.symbol);
    const { comment, price = null, filling = null } = order;
    const volume = unlessRefused(volumeToClose(order, position, market.info));
    unlessRefused(closingFilling(filling, position, market));
    return { position, volume, market, terms: { deviation, comment, price, filling } };
  }

  /** Closes all of a position that was just read. */
  async closeWhole(attempt: TradeAttempt, shown: TradePosition): Promise<ClosedPosition> {
    const position = this.kept.left(shown);
    const deviation = defaultDeviation(this.reader.limits);
    const market = await this.reader.market(position.symbol);
    return this.closeLive(attempt, position, position.volume, market, { deviation, comment: null });
  }

  private async closeLive(
    attempt: TradeAttempt,
    position: TradePosition,
    volume: number,
    market: Market,
    order: PlannedClose['terms'],
  ): Promise<ClosedPosition> {
    const terminal = await this.terminal.connected();
    this.terminal.requireNotClosed(position);
    const purpose = volume < position.volume ? 'close_partial' : 'close';
    const comment = order.comment === null ? tagOfKey(attempt.key) : terminalComment(order.comment);
    const guard = await this.positions.dealsOfUnmarked(position);
    const before = await this.lotsOf(position);
    const { intentId, outcome } = await tryFillings(
      closeDrafts(position, volume, market, { ...order, comment }),
      (request) =>
        this.sender.send(
          attempt,
          {
            purpose,
            request,
            serverTimeMsc: market.tick.time_msc,
            positionId: position.identifier,
            positionVolume: position.volume,
            openedMsc: position.time_msc,
          },
          guard,
        ),
      (sent) => retcodeOf(sent.outcome),
    );
    const result = requireDone(outcome, attempt.clientOrderId, {
      info: market.info,
      obstacle: this.terminal.tradingObstacle,
    });
    if (wasAlreadySo(purpose, result.retcode)) return this.alreadyClosed(position, result);
    const fill = await this.confirmation.closingFill(terminal, attempt, intentId, result);
    return { ...(await this.closed(position, before, volume, result, fill)), digits: market.info.digits };
  }

  /** Lots of a position before its close: a list that is not explained may show less. */
  private async lotsOf(position: TradePosition): Promise<number> {
    const { identifier, type, volume } = position;
    const known = this.positions.lastKnown(identifier);
    if (!known || known.type !== type) return volume;
    const left = this.kept.left(known).volume;
    return left <= volume ? volume : Math.max(volume, (await this.positions.lotsByDeals(position)) ?? left);
  }

  /** @param before lots of the position before the close: a list that is not explained may show less */
  private async closed(
    position: TradePosition,
    before: number,
    volume: number,
    result: OrderSendResult,
    fill: Fill,
  ): Promise<ClosedPosition> {
    const { ticket } = position;
    const closedVolume = isOnlyAccepted(result, fill) ? 0 : (fill.volume ?? volume);
    const shown = await this.shownAfter(position, before, closedVolume);
    // A list that shows it as changed since the read before the send shows this close on an account that nets.
    const changedMsc = this.terminal.isHedging ? Infinity : position.time_update_msc + 1;
    const left = remainingVolume(before, closedVolume, shown, changedMsc);
    return {
      ticket,
      position,
      result,
      fill,
      closedVolume,
      remainingVolume: left,
      alreadyClosed: false,
      isDoubtful: false,
    };
  }

  /** The position as the list shows it after a close; null if it is gone, undefined if the list does not tell. */
  private async shownAfter(
    position: TradePosition,
    before: number,
    closedVolume: number,
  ): Promise<TradePosition | null | undefined> {
    // The list showed less than there was.
    if (before > position.volume) return undefined;
    // Of a position of a hedging account that was closed whole, nothing can remain.
    if (this.terminal.isHedging && closedVolume >= position.volume) return null;
    return this.positions.now(position);
  }

  /** The broker says that the position is closed. The list decides whether it is, once what it lacks is explained. */
  private async alreadyClosed(position: TradePosition, result: OrderSendResult): Promise<ClosedPosition> {
    const isGone = await this.confirmation.poll(async () =>
      (await this.positions.now(position)) === null ? true : null,
    );
    const fill: Fill = {
      source: 'unresolved',
      price: null,
      volume: null,
      deal: null,
      order: null,
      positionId: position.identifier,
      profit: null,
    };
    const remainingVolume = isGone ? 0 : position.volume;
    const { ticket } = position;
    return {
      ticket,
      position,
      result,
      fill,
      closedVolume: 0,
      remainingVolume,
      alreadyClosed: true,
      isDoubtful: !isGone,
    };
  }
}
