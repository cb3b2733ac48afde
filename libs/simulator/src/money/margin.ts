import { isBuyOrder, OrderType, SymbolCalcMode } from '@libs/terminal-client';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { Rates } from './conversion';
import { difference, exact, type Money, rounded, zero } from './decimals';
import { type Leg, LegSum, weigh } from './leg-sum';

/** The multiplier of an order type's margin. */
export function marginMultiplier(spec: SymbolSpec, orderType: number): number {
  const { buy, sell, pending } = spec.market.marginRates;
  if (orderType > OrderType.SELL) return pending;
  return isBuyOrder(orderType) ? buy : sell;
}

/**
 * Margin in the margin currency by the symbol's calculation mode, unrounded and without the rate of the
 * order type. `contract` takes the place of the contract size, for the hedged part of a position.
 */
export function formulaMargin(
  spec: SymbolSpec,
  volume: number,
  price: number,
  leverage: number,
  contract: number = spec.trade_contract_size,
): Money {
  const lots = exact(volume);
  // A margin per lot overrides the formula of any mode.
  if (spec.margin_initial !== 0) return lots.mul(spec.margin_initial);
  const units = lots.mul(contract);
  switch (spec.trade_calc_mode) {
    case SymbolCalcMode.FOREX:
      return units.div(leverage);
    case SymbolCalcMode.FOREX_NO_LEVERAGE:
      return units;
    case SymbolCalcMode.CFD:
    case SymbolCalcMode.EXCH_STOCKS:
    case SymbolCalcMode.EXCH_STOCKS_MOEX:
      return units.mul(price);
    case SymbolCalcMode.CFDLEVERAGE:
      return units.mul(price).div(leverage);
    case SymbolCalcMode.CFDINDEX:
      return units.mul(price).mul(spec.trade_tick_value_profit_currency).div(spec.trade_tick_size);
    case SymbolCalcMode.EXCH_BONDS:
    case SymbolCalcMode.EXCH_BONDS_MOEX:
      return units.mul(spec.trade_face_value).mul(price).div(100);
    default:
      return zero;
  }
}

/** Margin of one order on its own, in the deposit currency; null while no price converts it. @param digits of that currency */
export function orderMargin(
  spec: SymbolSpec,
  { type, volume, price }: { readonly type: number; readonly volume: number; readonly price: number },
  { leverage, currencyDigits }: { readonly leverage: number; readonly currencyDigits: number },
  conversion: Rates,
): number | null {
  const rate = conversion.marginRate(spec.currency_margin, isBuyOrder(type));
  const margin = formulaMargin(spec, volume, price, leverage);
  return rate && rounded(margin.mul(marginMultiplier(spec, type)).mul(rate), currencyDigits).toNumber();
}

/**
 * {@link formulaMargin} of an opening in doubles, or the maintenance margin where the symbol has one; NaN for modes whose margin
 * is computed in decimals alone.
 */
export function marginEstimate(spec: SymbolSpec, volume: number, price: number, leverage: number): number {
  if (spec.margin_maintenance !== 0) return volume * spec.margin_maintenance;
  if (spec.margin_initial !== 0) return volume * spec.margin_initial;
  const units = volume * spec.trade_contract_size;
  switch (spec.trade_calc_mode) {
    case SymbolCalcMode.FOREX:
      return units / leverage;
    case SymbolCalcMode.FOREX_NO_LEVERAGE:
      return units;
    case SymbolCalcMode.CFD:
    case SymbolCalcMode.EXCH_STOCKS:
      return units * price;
    case SymbolCalcMode.CFDLEVERAGE:
      return (units * price) / leverage;
    default:
      return Number.NaN;
  }
}

/** Margin of a symbol's positions in the deposit currency, unrounded; hedged sides by the symbol's own rule. */
export function positionMargin(spec: SymbolSpec, buys: Leg, sells: Leg, leverage: number): Money {
  const { buy, sell } = spec.market.marginRates;
  if (spec.margin_hedged_use_leg) {
    const long = legMargin(spec, buys, buys.volume, leverage).mul(buy);
    const short = legMargin(spec, sells, sells.volume, leverage).mul(sell);
    return long.gt(short) ? long : short;
  }
  const isLong = buys.volume >= sells.volume;
  const larger = isLong ? buys : sells;
  const covered = Math.min(buys.volume, sells.volume);
  const uncovered = difference(larger.volume, covered);
  const open = legMargin(spec, larger, uncovered, leverage).mul(isLong ? buy : sell);
  if (covered === 0) return open;
  const mean = bothSides(buys, sells);
  return open.add(hedgedMargin(spec, mean, covered, leverage));
}

function legMargin(spec: SymbolSpec, leg: Leg, volume: number, leverage: number): Money {
  if (volume === 0) return zero;
  const held = spec.margin_maintenance === 0 ? null : exact(volume).mul(spec.margin_maintenance);
  return (held ?? formulaMargin(spec, volume, leg.price, leverage)).mul(leg.rate);
}

/** `margin_hedged` is money per lot beside a margin per lot, else a contract size. */
function hedgedMargin(spec: SymbolSpec, mean: Leg, covered: number, leverage: number): Money {
  if (spec.margin_hedged === 0) return zero;
  if (spec.margin_initial !== 0) return exact(covered).mul(spec.margin_hedged).mul(mean.rate);
  return formulaMargin(spec, covered, mean.price, leverage, spec.margin_hedged).mul(mean.rate);
}

function bothSides(buys: Leg, sells: Leg): Leg {
  return LegSum.none.plus(weigh(buys)).plus(weigh(sells)).leg();
}
