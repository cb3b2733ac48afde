import {
  isOnVolumeGrid,
  nearestVolumes,
  OrderModeFlag,
  OrderTime,
  OrderType,
  PositionType,
  sameVolume,
  snapPrice,
  snapVolume,
  TradeAction,
  tradeRequest,
  volumeText,
  type OrderFilling,
  type SymbolInfo,
  type TradePosition,
  type TradeRequest,
} from '@libs/terminal-client';
import { fillingPermitted } from './filling-permitted';
import { permittedFillings } from './fillings';
import { marketPrice } from './market-price';
import type { Market } from './proposed-order';
import { askedVolumeText, fieldRefused, fieldsRefused, type OrderRefusal } from './refusal';

/** The volume of a position to close. */
export interface CloseVolume {
  /** Lots; null: all of it. */
  readonly volume: number | null;
  /** The field that named the volume, for refusals. */
  readonly volumeField: string;
  /** Whether the volume has to be less than the position's. */
  readonly partOnly: boolean;
}

/** The other terms of a close. */
export interface CloseTerms {
  /** Points. */
  readonly deviation: number;
  readonly comment: string;
  /** Null: the current quote. It counts with Request and Instant execution only. */
  readonly price?: number | null;
  /** Null: each that the symbol permits. */
  readonly filling?: OrderFilling | null;
}

/** What a client states about the position that it closes. */
export interface StatedPosition {
  readonly symbol?: string | null;
  /** Its type; null: not stated. */
  readonly type?: PositionType | null;
}

type Closable = Pick<TradePosition, 'ticket' | 'type' | 'symbol' | 'magic' | 'volume'>;

/** Lots to close, or a refusal of a volume that exceeds the position's or is off the volume grid. */
export function volumeToClose(
  { volume: asked, volumeField, partOnly }: CloseVolume,
  position: Pick<Closable, 'volume'>,
  info: SymbolInfo,
): number | OrderRefusal {
  if (asked === null) return position.volume;
  const volume = sameVolume(asked, position.volume) ? position.volume : snapVolume(asked, info);
  if (volume > position.volume || (partOnly && volume === position.volume)) {
    const bound = partOnly ? 'below' : 'at most';
    const problem = `must be ${bound} the position's ${volumeText(position.volume)}`;
    return fieldRefused(volumeField, problem, position.volume, volume, askedVolumeText(volume));
  }
  if (volume === position.volume) return volume;
  if (volume < info.volume_min || !isOnVolumeGrid(volume, info)) {
    const nearest = nearestVolumes(volume, info);
    const problem = `must be a multiple of ${volumeText(info.volume_step)}, at least ${volumeText(info.volume_min)}; nearest: ${nearest.map(volumeText).join(' or ')}`;
    const { volume_min, volume_step } = info;
    return fieldRefused(volumeField, problem, { volume_min, volume_step, nearest }, asked, askedVolumeText(asked));
  }
  return volume;
}

/** A symbol or type that the client states must be the position's; null if it is. */
export function notStatedPosition(
  { symbol, type }: StatedPosition,
  position: Pick<Closable, 'ticket' | 'symbol' | 'type'>,
): OrderRefusal | null {
  if (symbol && symbol !== position.symbol) {
    return fieldsRefused([{ field: 'symbol', problem: `position ${position.ticket} is of ${position.symbol}` }]);
  }
  if (type == null || type === position.type) return null;
  const word = position.type === PositionType.BUY ? 'BUY' : 'SELL';
  return fieldsRefused([{ field: 'type', problem: `position ${position.ticket} is a ${word}` }]);
}

/** A filling that is requested for a close must be one that the symbol permits; null if it is. */
export function closingFilling(
  filling: OrderFilling | null,
  position: Pick<Closable, 'type'>,
  market: Market,
): OrderRefusal | null {
  return fillingPermitted({ type: closingType(position), filling }, market);
}

function closingType({ type }: Pick<Closable, 'type'>): typeof OrderType.BUY | typeof OrderType.SELL {
  return type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
}

/**
 * The request to close a position by an opposite one of the same symbol. The server takes the volume of the smaller one.
 * @returns a refusal if these two cannot be closed so, or the symbol does not permit it
 */
export function closeByDraft(
  position: Closable,
  opposite: Closable,
  { order_mode }: Pick<SymbolInfo, 'order_mode'>,
  comment: string,
): TradeRequest | OrderRefusal {
  const { ticket, symbol, magic, type } = position;
  const refused = (problem: string): OrderRefusal => fieldsRefused([{ field: 'position_by', problem }]);
  if (opposite.ticket === ticket) return refused('must be another position than position');
  if (opposite.symbol !== symbol) {
    return refused(`position ${opposite.ticket} is of ${opposite.symbol}, position ${ticket} of ${symbol}`);
  }
  if (opposite.type === type) {
    return refused(`positions ${ticket} and ${opposite.ticket} are of the same side; close each of them by itself`);
  }
  if ((order_mode & OrderModeFlag.CLOSEBY) === 0) {
    return refused(`${symbol} does not permit to close a position by another; close each of them by itself`);
  }
  return tradeRequest({
    action: TradeAction.CLOSE_BY,
    symbol,
    magic,
    comment,
    position: ticket,
    position_by: opposite.ticket,
  });
}

/**
 * The request to close a position or a part of it, one per permitted filling, preferred first. It names the position,
 * so that no opposite position is opened.
 * @param volume lots
 */
export function closeDrafts(
  position: Closable,
  volume: number,
  { info, tick }: Market,
  { deviation, comment, price = null, filling = null }: CloseTerms,
): TradeRequest[] {
  const type = closingType(position);
  const fillings = filling === null ? permittedFillings(type, info) : [filling];
  return fillings.map((filling) =>
    tradeRequest({
      action: TradeAction.DEAL,
      // The closing deal has the position's magic only if the request contains it.
      magic: position.magic,
      symbol: position.symbol,
      volume,
      price: snapPrice(price ?? marketPrice(type, tick), info),
      deviation,
      type,
      type_filling: filling,
      type_time: OrderTime.GTC,
      comment,
      position: position.ticket,
    }),
  );
}
