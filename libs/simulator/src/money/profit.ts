import { PositionType, SymbolCalcMode } from '@libs/terminal-client';
import type { SymbolSpec } from '../symbols/symbol-spec';
import type { Conversion } from './conversion';
import { exact, type Money, zero } from './decimals';

/** How a calculation mode makes profit of a price change. */
type ProfitFormula = 'contract' | 'ticks' | 'bond';

/** The formula of a calculation mode; null for a mode the simulator does not know. */
export function profitFormula(calcMode: number): ProfitFormula | null {
  switch (calcMode) {
    case SymbolCalcMode.FOREX:
    case SymbolCalcMode.FOREX_NO_LEVERAGE:
    case SymbolCalcMode.CFD:
    case SymbolCalcMode.CFDINDEX:
    case SymbolCalcMode.CFDLEVERAGE:
    case SymbolCalcMode.EXCH_STOCKS:
    case SymbolCalcMode.EXCH_STOCKS_MOEX:
      return 'contract';
    case SymbolCalcMode.FUTURES:
    case SymbolCalcMode.EXCH_FUTURES:
    case SymbolCalcMode.EXCH_OPTIONS:
      return 'ticks';
    case SymbolCalcMode.EXCH_BONDS:
    case SymbolCalcMode.EXCH_BONDS_MOEX:
      return 'bond';
    default:
      return null;
  }
}

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
export function profitInDeposit(trade: Trade, conversion: Conversion): Money | null {
  const profit = profitInCurrency(trade);
  const { spec, close } = trade;
  if (profit.isZero() || spec.currency_profit === conversion.deposit) return profit;
  if (spec.currency_base === conversion.deposit && profitFormula(spec.trade_calc_mode) === 'contract') {
    return profit.div(exact(close));
  }
  const rate = conversion.amountRate(spec.currency_profit, profit.isPositive());
  return rate === null ? null : profit.mul(rate);
}
