import {
  isOnVolumeGrid,
  nearestVolumes,
  OrderTime,
  OrderType,
  PositionType,
  sameVolume,
  snapPrice,
  snapVolume,
  TradeAction,
  tradeRequest,
  volumeText,
  type SymbolInfo,
  type TradePosition,
  type TradeRequest,
} from '@libs/terminal-client';
import { permittedFillings } from './fillings';
import { marketPrice } from './market-price';
import type { Market } from './proposed-order';
import { askedVolumeText, fieldRefused, type OrderRefusal } from './refusal';

/** The volume of a position to close. */
export interface CloseVolume {
  /** Lots; null: all of it. */
  readonly volume: number | null;
  /** The field that named the volume, for refusals. */
  readonly volumeField: string;
  /** Whether the volume has to be less than the position's. */
  readonly partOnly: boolean;
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

/**
 * The request to close a position or a part of it, one per permitted filling, preferred first. It names the position,
 * so that no opposite position is opened.
 * @param volume lots
 */
export function closeDrafts(
  position: Closable,
  volume: number,
  { info, tick }: Market,
  { deviation, comment }: { readonly deviation: number; readonly comment: string },
): TradeRequest[] {
  const type = position.type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
  return permittedFillings(type, info).map((filling) =>
    tradeRequest({
      action: TradeAction.DEAL,
      // The closing deal has the position's magic only if the request contains it.
      magic: position.magic,
      symbol: position.symbol,
      volume,
      price: snapPrice(marketPrice(type, tick), info),
      deviation,
      type,
      type_filling: filling,
      type_time: OrderTime.GTC,
      comment,
      position: position.ticket,
    }),
  );
}
