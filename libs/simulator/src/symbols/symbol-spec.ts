import type { SymbolInfo } from '@libs/terminal-client';
import type { Schedule } from '../time/trading-hours';

type FixedField =
  | 'name'
  | 'description'
  | 'path'
  | 'currency_base'
  | 'currency_profit'
  | 'currency_margin'
  | 'digits'
  | 'trade_tick_size'
  | 'trade_contract_size'
  | 'trade_calc_mode'
  | 'trade_mode'
  | 'trade_exemode'
  | 'trade_stops_level'
  | 'trade_freeze_level'
  | 'filling_mode'
  | 'expiration_mode'
  | 'order_mode'
  | 'order_gtc_mode'
  | 'volume_min'
  | 'volume_max'
  | 'volume_step'
  | 'volume_limit'
  | 'swap_mode'
  | 'swap_long'
  | 'swap_short'
  | 'swap_rollover3days'
  | 'margin_initial'
  | 'margin_maintenance'
  | 'margin_hedged'
  | 'margin_hedged_use_leg'
  | 'trade_accrued_interest'
  | 'trade_face_value'
  | 'trade_liquidity_rate'
  | 'session_price_settlement';

/** Multipliers of the formula's margin, by direction (`SymbolInfoMarginRate`, which the package does not show). */
export interface MarginRates {
  readonly buy: number;
  readonly sell: number;
  /** Of pending orders: 0 on most over-the-counter symbols. */
  readonly pending: number;
}

/** What a broker takes for a deal, in the deposit currency. */
export interface Commission {
  /** Money per lot of each deal. */
  readonly perLot: number;
  /** `both`: on the deals in and out; `in`: on the entry alone, usually the whole of it. */
  readonly charged: 'both' | 'in';
}

/** What the broker's side of a symbol needs, beyond what its record shows. */
export interface SymbolMarket {
  /** The two assets whose values make the generated price, for example EUR and USD. */
  readonly base: string;
  readonly quote: string;
  /** Typical spread, in points, in the busy hours. */
  readonly spread: number;
  readonly schedule: Schedule;
  readonly marginRates: MarginRates;
  readonly commission: Commission;
  /** Shown in Market Watch from the start. */
  readonly visible: boolean;
  /** Lots that one quote can fill; null is any volume. */
  readonly depth: number | null;
}

/** A symbol as the broker defines it: the fixed part of its record, and its market. */
export type SymbolSpec = Readonly<Pick<SymbolInfo, FixedField>> & {
  /** Worth of one tick of one lot in the profit currency, where the calculation mode goes by ticks (futures). */
  readonly trade_tick_value_profit_currency: number;
  readonly market: SymbolMarket;
};

/** Size of a point: 10^-digits, correctly rounded. */
export function pointOf(spec: Pick<SymbolSpec, 'digits'>): number {
  return 1 / 10 ** spec.digits;
}
