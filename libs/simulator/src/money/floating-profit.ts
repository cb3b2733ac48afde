import { PositionType } from '@libs/terminal-client';
import type { Rates } from './conversion';
import { powerOf10, rounded, roundedSurely } from './decimals';
import { profitFormula } from '../symbols/profit-formula';
import { profitInDeposit, type Trade } from './profit';

/** The result of an open position in the deposit currency, rounded; 0 while no price converts it. */
export function floatingProfit(trade: Trade, conversion: Rates, digits: number): number {
  return roundedProfit(trade, conversion, digits) ?? 0;
}

/**
 * The result of a trade in the deposit currency, rounded; null while no price converts it. It is read far more often than
 * anything is booked, so it is computed in doubles, and in decimals only where those could round otherwise.
 */
export function roundedProfit(trade: Trade, conversion: Rates, digits: number): number | null {
  const amount = amountOf(trade);
  if (amount === 0) return 0;
  const value = amount * factorOf(trade, conversion, amount > 0);
  if (Number.isNaN(value)) return null;
  const decided = roundedSurely(value, powerOf10(digits));
  if (!Number.isNaN(decided)) return decided;
  const exactly = profitInDeposit(trade, conversion);
  return exactly && rounded(exactly, digits).toNumber();
}

/**
 * {@link floatingProfit} of one position at one price after the other: what no price changes is read once. Only for the `contract`
 * formula, and a profit in the deposit currency or in that of a pair whose base it is.
 */
export class PositionProfit {
  private readonly isBuy: boolean;
  private readonly open: number;
  private readonly contract: number;
  private readonly volume: number;
  private readonly pointScale: number;
  private readonly scale: number;
  private readonly isConverted: boolean;

  constructor(
    private readonly trade: Omit<Trade, 'close'>,
    private readonly conversion: Rates,
    private readonly digits: number,
  ) {
    const { spec } = trade;
    this.isBuy = trade.type === PositionType.BUY;
    this.open = trade.open;
    this.contract = spec.trade_contract_size;
    this.volume = trade.volume;
    this.pointScale = powerOf10(spec.digits);
    this.scale = powerOf10(digits);
    this.isConverted = spec.currency_profit !== conversion.deposit;
  }

  at(close: number): number {
    const { open, pointScale } = this;
    const points = snapped((this.isBuy ? close - open : open - close) * pointScale);
    if (points === 0) return 0;
    const amount = (points * this.contract * this.volume) / pointScale;
    const decided = roundedSurely(this.isConverted ? amount * (1 / close) : amount, this.scale);
    return Number.isNaN(decided) ? floatingProfit({ ...this.trade, close }, this.conversion, this.digits) : decided;
  }
}

function amountOf({ spec, type, volume, open, close }: Trade): number {
  const scale = powerOf10(spec.digits);
  const points = snapped((type === PositionType.BUY ? close - open : open - close) * scale);
  switch (profitFormula(spec.trade_calc_mode)) {
    case 'contract':
      return (points * spec.trade_contract_size * volume) / scale;
    case 'ticks':
      return ((points / scale) * volume * spec.trade_tick_value_profit_currency) / spec.trade_tick_size;
    case 'bond':
      return ((points / scale) * spec.trade_face_value * spec.trade_contract_size * volume) / 100;
    case null:
      return 0;
  }
}

function factorOf({ spec, close }: Trade, conversion: Rates, isGain: boolean): number {
  if (spec.currency_profit === conversion.deposit) return 1;
  const isOwnPair = spec.currency_base === conversion.deposit && profitFormula(spec.trade_calc_mode) === 'contract';
  return isOwnPair ? 1 / close : conversion.amountFactor(spec.currency_profit, isGain);
}

/** Takes the dust of binary fractions off a number of points; a netted mean may really lie between two points. */
function snapped(points: number): number {
  const whole = Math.round(points);
  return Math.abs(points - whole) < 1e-6 ? whole : points;
}

/** Rounds to decimals, ties away from zero, forgiving the dust of binary fractions. */
export function roundedDouble(value: number, digits: number): number {
  const scale = powerOf10(digits);
  const magnitude = Math.abs(value) * scale;
  const whole = Math.round(magnitude + magnitude * 1e-13);
  return whole === 0 ? 0 : (Math.sign(value) * whole) / scale;
}
