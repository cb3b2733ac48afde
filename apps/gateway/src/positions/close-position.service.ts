import { Injectable } from '@nestjs/common';
import { validationError } from '@libs/envelope';
import {
  OrderTime,
  OrderType,
  PositionType,
  Retcode,
  TradeAction,
  tradeRequest,
  type OrderFilling,
  type OrderSendResult,
  type TradePosition,
  type TradeRequest,
  isOnVolumeGrid,
  nearestVolumes,
  sameVolume,
  snapPrice,
  snapVolume,
  subtractVolume,
} from '@libs/terminal-client';
import { FillConfirmation } from '../orders/fill-confirmation';
import type { Fill } from '../orders/fill';
import { MarketReader } from '../orders/market-reader';
import { terminalComment } from '../orders/order-draft';
import { requireDone } from '../orders/send-errors';
import { defaultDeviation, deviationLimit } from '../pre-trade/deviation-limit';
import { permittedFillings } from '../pre-trade/fillings';
import { marketPrice } from '../pre-trade/market-price';
import type { Market } from '../pre-trade/proposed-order';
import { fieldRefused } from '../pre-trade/refusal';
import { TerminalAccess } from '../terminal/terminal-access';
import { wasAlreadySo } from '../trade-journal/classify-outcome';
import { tagOfKey } from '../trade-journal/key-marks';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { LivePositions } from './live-positions';

/** What is to be closed of a position. */
export interface CloseOrder {
  readonly ticket: number;
  /** Lots; null: all of it. */
  readonly volume: number | null;
  /** The field that named the volume, for refusals. */
  readonly volumeField: string;
  /** Whether the volume has to be less than the position's. */
  readonly partOnly: boolean;
  /** Points; null: the default. */
  readonly deviation: number | null;
  readonly comment: string | null;
}

/** What the broker made of it. */
export interface ClosedPosition {
  readonly ticket: number;
  readonly position: TradePosition;
  readonly result: OrderSendResult;
  readonly fill: Fill;
  /** Lots. */
  readonly closedVolume: number;
  readonly remainingVolume: number;
  /** It was gone before: the broker had nothing left to close. */
  readonly alreadyClosed: boolean;
}

/** Closes a position or a part of it: always by its ticket, so that nothing is opened the other way. */
@Injectable()
export class ClosePositionService {
  constructor(
    private readonly positions: LivePositions,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
    private readonly confirmation: FillConfirmation,
  ) {}

  async close(attempt: TradeAttempt, order: CloseOrder): Promise<ClosedPosition> {
    const deviation = order.deviation ?? defaultDeviation(this.reader.limits);
    const tooMuchDeviation = deviationLimit({ deviation }, this.reader.limits);
    if (tooMuchDeviation) throw tooMuchDeviation;
    await this.terminal.connected();
    const position = await this.positions.require(order.ticket);
    const market = await this.reader.market(position.symbol);
    const { comment } = order;
    return this.closeLive(attempt, position, volumeToClose(order, position, market), market, { deviation, comment });
  }

  /** Closes all of a position that was just read. */
  async closeWhole(attempt: TradeAttempt, position: TradePosition): Promise<ClosedPosition> {
    const deviation = defaultDeviation(this.reader.limits);
    const market = await this.reader.market(position.symbol);
    return this.closeLive(attempt, position, position.volume, market, { deviation, comment: null });
  }

  private async closeLive(
    attempt: TradeAttempt,
    position: TradePosition,
    volume: number,
    market: Market,
    order: { readonly deviation: number; readonly comment: string | null },
  ): Promise<ClosedPosition> {
    const terminal = await this.terminal.connected();
    const purpose = volume < position.volume ? 'close_partial' : 'close';
    const comment = order.comment === null ? tagOfKey(attempt.key) : terminalComment(order.comment);
    const fillings = permittedFillings(closingType(position), market.info);
    for (const [index, filling] of fillings.entries()) {
      const request = closeDraft(position, volume, market, { ...order, comment, filling });
      const { intentId, outcome } = await this.sender.send(attempt, {
        purpose,
        request,
        serverTimeMsc: market.tick.time_msc,
        positionId: position.identifier,
        positionVolume: position.volume,
      });
      const isRefusedFilling = outcome.kind === 'rejected' && outcome.result?.retcode === Retcode.INVALID_FILL;
      if (isRefusedFilling && index < fillings.length - 1) continue;
      const result = requireDone(outcome, attempt.clientOrderId);
      if (wasAlreadySo(purpose, result.retcode)) return alreadyClosed(position, result);
      const fill = await this.confirmation.closingFill(terminal, attempt, intentId, result);
      return closed(position, volume, result, fill);
    }
    throw new Error('a position can be closed by at least one filling');
  }
}

function closingType(position: TradePosition): OrderType {
  return position.type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
}

/** @throws ApiError validation_error for a volume that is not a part of the position's, or off the grid */
function volumeToClose(order: CloseOrder, position: TradePosition, { info }: Market): number {
  const { volumeField, partOnly } = order;
  if (order.volume === null) return position.volume;
  const volume = sameVolume(order.volume, position.volume) ? position.volume : snapVolume(order.volume, info);
  if (volume > position.volume || (partOnly && volume === position.volume)) {
    const bound = partOnly ? 'below' : 'at most';
    throw fieldRefused(volumeField, `must be ${bound} the position's ${position.volume}`, position.volume, volume);
  }
  if (volume === position.volume) return volume;
  if (volume < info.volume_min || !isOnVolumeGrid(volume, info)) {
    const nearest = nearestVolumes(volume, info);
    throw validationError({
      field: volumeField,
      problem: `must be a multiple of ${info.volume_step}, at least ${info.volume_min}; nearest: ${nearest.join(' or ')}`,
    });
  }
  return volume;
}

function closeDraft(
  position: TradePosition,
  volume: number,
  { info, tick }: Market,
  order: { readonly deviation: number; readonly comment: string; readonly filling: OrderFilling },
): TradeRequest {
  const type = closingType(position);
  return tradeRequest({
    action: TradeAction.DEAL,
    // The closing deal carries the position's magic only when it is given.
    magic: position.magic,
    symbol: position.symbol,
    volume,
    price: snapPrice(marketPrice(type, tick), info),
    deviation: order.deviation,
    type,
    type_filling: order.filling,
    type_time: OrderTime.GTC,
    comment: order.comment,
    position: position.ticket,
  });
}

function closed(position: TradePosition, volume: number, result: OrderSendResult, fill: Fill): ClosedPosition {
  const closedVolume = fill.volume ?? volume;
  const remainingVolume = subtractVolume(position.volume, closedVolume);
  return { ticket: position.ticket, position, result, fill, closedVolume, remainingVolume, alreadyClosed: false };
}

function alreadyClosed(position: TradePosition, result: OrderSendResult): ClosedPosition {
  const fill: Fill = {
    source: 'unresolved',
    price: null,
    volume: null,
    deal: null,
    order: null,
    positionId: position.identifier,
    profit: null,
  };
  return { ticket: position.ticket, position, result, fill, closedVolume: 0, remainingVolume: 0, alreadyClosed: true };
}
