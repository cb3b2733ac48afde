import { PositionType, TradeAction, tradeRequest, type TradePosition, type TradeRequest } from '@libs/terminal-client';
import { levelSide } from './levels-side';
import { priceOnGrid, type PriceGrid } from './price-on-grid';
import type { Market } from './proposed-order';
import { fieldsRefused, OrderRefusal } from './refusal';

/** The levels to change: an omitted or null level is kept, and only a clear flag removes one. */
export interface LevelChange {
  readonly sl?: number | null;
  readonly tp?: number | null;
  readonly clear_sl?: boolean;
  readonly clear_tp?: boolean;
}

/** Levels in the terminal's form: 0 means none. */
export interface Levels {
  readonly sl: number;
  readonly tp: number;
}

/** The problem of a level of 0 or below in a change. */
export function levelNotPositive(level: 'sl' | 'tp'): string {
  return `must be a positive number; clear_${level} removes the level`;
}

/** The resulting levels, or a refusal of one that is not positive or rounds to 0. */
export function newLevels(current: Levels, change: LevelChange, info: PriceGrid): Levels | OrderRefusal {
  const level = (name: 'sl' | 'tp'): number | OrderRefusal => {
    if (change[`clear_${name}`] === true) return 0;
    const asked = change[name];
    if (asked == null) return current[name];
    if (asked > 0) return priceOnGrid(name, asked, info);
    return fieldsRefused([{ field: name, problem: levelNotPositive(name) }]);
  };
  const sl = level('sl');
  if (typeof sl !== 'number') return sl;
  const tp = level('tp');
  return typeof tp === 'number' ? { sl, tp } : tp;
}

/**
 * The request that changes the levels of a position. It contains both levels, because the terminal takes 0 for
 * "remove".
 * @returns a refusal when a changed level is on the wrong side or too close; an unchanged one may be closer
 */
export function levelsDraft(
  position: Pick<TradePosition, 'ticket' | 'symbol' | 'magic' | 'type' | 'sl' | 'tp'>,
  change: LevelChange,
  market: Market,
): TradeRequest | OrderRefusal {
  const levels = newLevels(position, change, market.info);
  if (levels instanceof OrderRefusal) return levels;
  const isBuy = position.type === PositionType.BUY;
  const reference = isBuy ? market.tick.bid : market.tick.ask;
  const refusal =
    levelSide('sl', change.sl == null ? null : levels.sl, isBuy ? 'below' : 'above', reference, market) ??
    levelSide('tp', change.tp == null ? null : levels.tp, isBuy ? 'above' : 'below', reference, market);
  if (refusal) return refusal;
  const { ticket, symbol, magic } = position;
  return tradeRequest({ action: TradeAction.SLTP, symbol, position: ticket, magic, ...levels });
}
