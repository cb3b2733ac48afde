import { PositionType } from '@libs/terminal-client';
import { profitFormula } from '../symbols/profit-formula';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { Rates } from './conversion';
import { exact, type Money, zero } from './decimals';

export interface Trade {
  readonly spec: SymbolSpec;
  /** `PositionType` of the position whose result it is. */
  readonly type: number;
  readonly volume: number;
  readonly open: number;
  readonly close: number;
}

/** The result in the profit currency, unrounded. */
function profitInCurrency({ spec, type, volume, open, close }: Trade): Money {
  const change = type === PositionType.BUY ? exact(close).sub(open) : exact(open).sub(close);
  switch (profitFormula(spec.trade_calc_mode)) {
    case 'contract':
      return change.mul(spec.trade_contract_size).mul(volume);
    case 'ticks':
      return change.mul(volume).mul(spec.trade_tick_value_profit_currency).div(spec.trade_tick_size);
    case 'bond':
      return change.mul(spec.trade_face_value).div(100).mul(spec.trade_contract_size).mul(volume);
    case null:
      return zero;
  }
}

/**
 * The result in the deposit currency, unrounded; null when no pair converts it. A symbol whose base is the deposit
 * currency is converted at the close price of the trade itself, others at current prices.
 */
export function profitInDeposit(trade: Trade, conversion: Rates): Money | null {
  const profit = profitInCurrency(trade);
  const { spec, close } = trade;
  if (profit.isZero() || spec.currency_profit === conversion.deposit) return profit;
  if (spec.currency_base === conversion.deposit && profitFormula(spec.trade_calc_mode) === 'contract') {
    return profit.div(exact(close));
  }
  const rate = conversion.amountRate(spec.currency_profit, profit.isPositive());
  return rate === null ? null : profit.mul(rate);
}
