import type { SymbolRecord } from '@libs/gateway-client';

/** What a backtest needs of a symbol, by the names of the terminal. */
const fields = [
  ...['name', 'description', 'path', 'currency_base', 'currency_profit', 'currency_margin', 'digits'],
  ...['trade_tick_size', 'trade_contract_size', 'trade_calc_mode', 'trade_mode', 'trade_exemode', 'trade_stops_level'],
  ...['trade_freeze_level', 'filling_mode', 'expiration_mode', 'order_mode', 'order_gtc_mode', 'volume_min'],
  ...['volume_max', 'volume_step', 'volume_limit', 'swap_mode', 'swap_long', 'swap_short', 'swap_rollover3days'],
  ...['margin_initial', 'margin_maintenance', 'margin_hedged', 'margin_hedged_use_leg'],
] as const;

/**
 * Symbols of a broker as a file for SIM_SYMBOLS. The gateway does not report commission, margin rates and sessions; those are
 * the ones of the simulator, without commission.
 */
export function symbolFile(records: readonly SymbolRecord[]): string {
  const symbols = records.map((record) => ({
    ...Object.fromEntries(Object.entries(record).filter(([name]) => fields.some((field) => field === name))),
    // Replayed prices need no assets to be made of.
    market: { spread: record.spread, base: 'EUR', quote: 'USD', commission: { perLot: 0 } },
  }));
  return `${JSON.stringify({ symbols }, null, 2)}\n`;
}
