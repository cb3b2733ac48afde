import { SymbolCalcMode } from '@libs/terminal-client';

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
