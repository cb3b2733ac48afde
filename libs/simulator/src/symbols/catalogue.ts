import { SymbolCalcMode, SymbolExecution, SymbolSwapMode, SymbolTradeMode } from '@libs/terminal-client';
import { continuousSchedule, fxSchedule, indexSchedule } from '../time/trading-hours';
import type { SymbolMarket, SymbolSpec } from './symbol-spec';

type MarketChanges = Partial<SymbolMarket> & Pick<SymbolMarket, 'spread'>;
type SpecChanges = Partial<Omit<SymbolSpec, 'market'>>;

const marketDefaults = {
  schedule: fxSchedule,
  marginRates: { buy: 1, sell: 1, pending: 0 },
  commission: { perLot: 0, charged: 'both' },
  visible: true,
  depth: null,
} as const;

/** A currency pair as most retail brokers set it up; `changes` are its differences from that. */
export function forexPair(
  name: string,
  description: string,
  market: MarketChanges,
  changes: SpecChanges = {},
): SymbolSpec {
  const base = name.slice(0, 3);
  const quote = name.slice(3, 6);
  const digits = changes.digits ?? (quote === 'JPY' ? 3 : 5);
  return {
    name,
    description,
    path: `Forex\\${name}`,
    currency_base: base,
    currency_profit: quote,
    currency_margin: base,
    digits,
    trade_tick_size: 1 / 10 ** digits,
    trade_contract_size: 100_000,
    trade_calc_mode: SymbolCalcMode.FOREX,
    trade_mode: SymbolTradeMode.FULL,
    trade_exemode: SymbolExecution.MARKET,
    trade_stops_level: 0,
    trade_freeze_level: 0,
    filling_mode: 3,
    expiration_mode: 15,
    order_mode: 127,
    order_gtc_mode: 0,
    volume_min: 0.01,
    volume_max: 500,
    volume_step: 0.01,
    volume_limit: 0,
    swap_mode: SymbolSwapMode.POINTS,
    swap_long: -0.7,
    swap_short: -1.1,
    swap_rollover3days: 3,
    margin_initial: 0,
    margin_maintenance: 0,
    margin_hedged: 100_000,
    margin_hedged_use_leg: false,
    trade_accrued_interest: 0,
    trade_face_value: 0,
    trade_liquidity_rate: 0,
    session_price_settlement: 0,
    trade_tick_value_profit_currency: 0,
    ...changes,
    market: { ...marketDefaults, base, quote, ...market },
  };
}

/** The symbols a simulator trades when SIM_SYMBOLS names no others. */
export const catalogue: readonly SymbolSpec[] = [
  forexPair('EURUSD', 'Euro vs US Dollar', { spread: 8 }, { swap_long: -6.1, swap_short: 2.3 }),
  forexPair('GBPUSD', 'Great Britain Pound vs US Dollar', { spread: 12 }, { swap_long: -2.4, swap_short: -1.9 }),
  forexPair('USDJPY', 'US Dollar vs Japanese Yen', { spread: 10 }, { swap_long: 9.8, swap_short: -18.7 }),
  forexPair('USDCHF', 'US Dollar vs Swiss Franc', { spread: 12 }, { swap_long: 5.2, swap_short: -10.4 }),
  forexPair('AUDUSD', 'Australian Dollar vs US Dollar', { spread: 10 }, { swap_long: -1.8, swap_short: -0.6 }),
  forexPair('NZDUSD', 'New Zealand Dollar vs US Dollar', { spread: 14 }),
  forexPair('USDCAD', 'US Dollar vs Canadian Dollar', { spread: 13 }),
  forexPair('EURGBP', 'Euro vs Great Britain Pound', { spread: 13 }),
  forexPair('EURJPY', 'Euro vs Japanese Yen', { spread: 17 }, { swap_long: -0.2, swap_short: -1.2 }),
  forexPair('GBPJPY', 'Great Britain Pound vs Japanese Yen', { spread: 24 }),
  forexPair('EURCHF', 'Euro vs Swiss Franc', { spread: 18, visible: false }),
  forexPair('AUDJPY', 'Australian Dollar vs Japanese Yen', { spread: 19, visible: false }),
  forexPair('EURUSD.m', 'Euro vs US Dollar, micro', { spread: 15 }, { trade_contract_size: 1_000, margin_hedged: 500 }),
  forexPair(
    'XAUUSD',
    'Gold vs US Dollar',
    { spread: 22, schedule: indexSchedule, commission: { perLot: 3.5, charged: 'both' } },
    {
      path: 'Metals\\XAUUSD',
      digits: 2,
      trade_contract_size: 100,
      trade_calc_mode: SymbolCalcMode.CFDLEVERAGE,
      currency_margin: 'USD',
      volume_max: 100,
      margin_hedged: 50,
      swap_long: -28.4,
      swap_short: 12.6,
      trade_stops_level: 20,
    },
  ),
  forexPair(
    'US500',
    'US 500 Index',
    { base: 'US500', quote: 'USD', spread: 5, schedule: indexSchedule, depth: 50 },
    {
      path: 'Indices\\US500',
      currency_base: 'USD',
      currency_profit: 'USD',
      currency_margin: 'USD',
      digits: 1,
      trade_tick_size: 0.1,
      trade_contract_size: 10,
      trade_calc_mode: SymbolCalcMode.CFDLEVERAGE,
      trade_exemode: SymbolExecution.INSTANT,
      volume_min: 0.1,
      volume_step: 0.1,
      volume_max: 100,
      volume_limit: 150,
      margin_hedged: 5,
      swap_mode: SymbolSwapMode.INTEREST_CURRENT,
      swap_long: -6.5,
      swap_short: 1.5,
      swap_rollover3days: 5,
      trade_stops_level: 10,
      trade_freeze_level: 5,
    },
  ),
  forexPair(
    'BTCUSD',
    'Bitcoin vs US Dollar',
    {
      base: 'BTC',
      quote: 'USD',
      spread: 1_800,
      schedule: continuousSchedule,
      marginRates: { buy: 0.33, sell: 0.33, pending: 0 },
    },
    {
      path: 'Crypto\\BTCUSD',
      currency_base: 'BTC',
      currency_profit: 'USD',
      currency_margin: 'USD',
      digits: 2,
      trade_tick_size: 0.01,
      trade_contract_size: 1,
      trade_calc_mode: SymbolCalcMode.CFD,
      volume_max: 1_000,
      margin_hedged: 0,
      swap_mode: SymbolSwapMode.INTEREST_OPEN,
      swap_long: -15,
      swap_short: -5,
      swap_rollover3days: 5,
    },
  ),
];
