import {
  FillingFlag,
  isBuyOrder,
  OrderFilling,
  OrderModeFlag,
  OrderType,
  Retcode,
  SymbolExecution,
  SymbolTradeMode,
} from '@libs/terminal-client';
import { difference, isOnGrid } from '../money/decimals';
import { profitFormula } from '../symbols/profit-formula';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';
import { type Refusal, refusal } from './refusal';

/** Volume on the symbol's grid and inside its bounds. */
export function volumeRefusal(spec: SymbolSpec, volume: number): Refusal | null {
  const fits = volume >= spec.volume_min && volume <= spec.volume_max && isOnGrid(volume, spec.volume_step);
  return fits ? null : refusal(Retcode.INVALID_VOLUME);
}

/** Whether the symbol may be opened in a direction at all; never where its money is not simulated. */
export function openingRefusal(spec: SymbolSpec, orderType: number): Refusal | null {
  if (profitFormula(spec.trade_calc_mode) === null) return refusal(Retcode.TRADE_DISABLED);
  const isBuy = isBuyOrder(orderType);
  switch (spec.trade_mode) {
    case SymbolTradeMode.FULL:
      return null;
    case SymbolTradeMode.LONGONLY:
      return isBuy ? null : refusal(Retcode.LONG_ONLY);
    case SymbolTradeMode.SHORTONLY:
      return isBuy ? refusal(Retcode.SHORT_ONLY) : null;
    case SymbolTradeMode.CLOSEONLY:
      return refusal(Retcode.CLOSE_ONLY);
    default:
      return refusal(Retcode.TRADE_DISABLED);
  }
}

const orderModeBits: Readonly<Record<number, number>> = {
  [OrderType.BUY]: OrderModeFlag.MARKET,
  [OrderType.SELL]: OrderModeFlag.MARKET,
  [OrderType.BUY_LIMIT]: OrderModeFlag.LIMIT,
  [OrderType.SELL_LIMIT]: OrderModeFlag.LIMIT,
  [OrderType.BUY_STOP]: OrderModeFlag.STOP,
  [OrderType.SELL_STOP]: OrderModeFlag.STOP,
  [OrderType.BUY_STOP_LIMIT]: OrderModeFlag.STOP_LIMIT,
  [OrderType.SELL_STOP_LIMIT]: OrderModeFlag.STOP_LIMIT,
  [OrderType.CLOSE_BY]: OrderModeFlag.CLOSEBY,
};

/** Whether the symbol takes the order type, and levels where there are any. */
export function orderModeRefusal(spec: SymbolSpec, type: number, sl: number, tp: number): Refusal | null {
  const bit = orderModeBits[type];
  if (bit === undefined) return refusal(Retcode.INVALID);
  const wanted = bit | (sl === 0 ? 0 : OrderModeFlag.SL) | (tp === 0 ? 0 : OrderModeFlag.TP);
  return (spec.order_mode & wanted) === wanted ? null : refusal(Retcode.INVALID_ORDER);
}

/** Whether the symbol's execution permits the filling. */
export function fillingRefusal(spec: SymbolSpec, orderType: number, filling: number): Refusal | null {
  return permitsFilling(spec, orderType, filling) ? null : refusal(Retcode.INVALID_FILL);
}

function permitsFilling(spec: SymbolSpec, orderType: number, filling: number): boolean {
  const isPending = orderType > OrderType.SELL;
  const isOverCounter =
    spec.trade_exemode === SymbolExecution.REQUEST || spec.trade_exemode === SymbolExecution.INSTANT;
  switch (filling) {
    case OrderFilling.FOK:
      return isOverCounter || (spec.filling_mode & FillingFlag.FOK) !== 0;
    case OrderFilling.IOC:
      return isOverCounter || (spec.filling_mode & FillingFlag.IOC) !== 0;
    case OrderFilling.RETURN:
      return isPending || spec.trade_exemode !== SymbolExecution.MARKET;
    case OrderFilling.BOC:
      return isBookable(orderType) && isExchange(spec) && (spec.filling_mode & FillingFlag.BOC) !== 0;
    default:
      return false;
  }
}

const isExchange = (spec: SymbolSpec): boolean => spec.trade_exemode === SymbolExecution.EXCHANGE;

const isBookable = (type: number): boolean =>
  type === OrderType.BUY_LIMIT ||
  type === OrderType.SELL_LIMIT ||
  type === OrderType.BUY_STOP_LIMIT ||
  type === OrderType.SELL_STOP_LIMIT;

/** A price that exists: positive, on the tick grid. 0 stands for none and passes. */
export function isPrice(spec: SymbolSpec, price: number): boolean {
  return price === 0 || (price > 0 && Number.isFinite(price) && isOnGrid(price, spec.trade_tick_size));
}

/**
 * Levels against the price they are measured from: on a buy SL < price < TP, on a sell the other way, each at least the
 * stops level away.
 */
export function stopsRefusal(spec: SymbolSpec, isBuy: boolean, from: number, sl: number, tp: number): Refusal | null {
  if (!isPrice(spec, sl) || !isPrice(spec, tp)) return refusal(Retcode.INVALID_STOPS);
  const below = isBuy ? sl : tp;
  const above = isBuy ? tp : sl;
  const fits =
    (below === 0 || isFarEnough(spec, difference(from, below), spec.trade_stops_level)) &&
    (above === 0 || isFarEnough(spec, difference(above, from), spec.trade_stops_level));
  return fits ? null : refusal(Retcode.INVALID_STOPS);
}

/** A distance that is above zero and not below a number of points. */
export function isFarEnough(spec: SymbolSpec, distance: number, points: number): boolean {
  return distance > 0 && distance >= points * pointOf(spec) - pointOf(spec) * 1e-6;
}
