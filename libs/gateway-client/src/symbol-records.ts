/** The terminal's symbol record, all of it, with the time of its quote in UTC. Prices and volumes as the terminal has them. */
export interface SymbolRecord {
  readonly custom: boolean;
  readonly chart_mode: number;
  readonly select: boolean;
  readonly visible: boolean;
  readonly session_deals: number;
  readonly session_buy_orders: number;
  readonly session_sell_orders: number;
  readonly volume: number;
  readonly volumehigh: number;
  readonly volumelow: number;
  /** Of the last quote, server seconds. */
  readonly time: number;
  readonly digits: number;
  readonly spread: number;
  readonly spread_float: boolean;
  readonly ticks_bookdepth: number;
  readonly trade_calc_mode: number;
  readonly trade_mode: number;
  readonly start_time: number;
  readonly expiration_time: number;
  /** Points between the quote and a level, at least. */
  readonly trade_stops_level: number;
  /** Points from the quote within which nothing may be changed. */
  readonly trade_freeze_level: number;
  readonly trade_exemode: number;
  readonly swap_mode: number;
  readonly swap_rollover3days: number;
  readonly margin_hedged_use_leg: boolean;
  readonly expiration_mode: number;
  readonly filling_mode: number;
  readonly order_mode: number;
  readonly order_gtc_mode: number;
  readonly option_mode: number;
  readonly option_right: number;
  readonly bid: number;
  readonly bidhigh: number;
  readonly bidlow: number;
  readonly ask: number;
  readonly askhigh: number;
  readonly asklow: number;
  readonly last: number;
  readonly lasthigh: number;
  readonly lastlow: number;
  readonly volume_real: number;
  readonly volumehigh_real: number;
  readonly volumelow_real: number;
  readonly option_strike: number;
  /** The smallest step of a price. */
  readonly point: number;
  readonly trade_tick_value: number;
  readonly trade_tick_value_profit: number;
  readonly trade_tick_value_loss: number;
  readonly trade_tick_size: number;
  readonly trade_contract_size: number;
  readonly trade_accrued_interest: number;
  readonly trade_face_value: number;
  readonly trade_liquidity_rate: number;
  /** Lots, as `volume_max`, `volume_step` and `volume_limit`. */
  readonly volume_min: number;
  readonly volume_max: number;
  readonly volume_step: number;
  readonly volume_limit: number;
  readonly swap_long: number;
  readonly swap_short: number;
  readonly margin_initial: number;
  readonly margin_maintenance: number;
  readonly session_volume: number;
  readonly session_turnover: number;
  readonly session_interest: number;
  readonly session_buy_orders_volume: number;
  readonly session_sell_orders_volume: number;
  readonly session_open: number;
  readonly session_close: number;
  readonly session_aw: number;
  readonly session_price_settlement: number;
  readonly session_price_limit_min: number;
  readonly session_price_limit_max: number;
  readonly margin_hedged: number;
  readonly price_change: number;
  readonly price_volatility: number;
  readonly price_theoretical: number;
  readonly price_greeks_delta: number;
  readonly price_greeks_theta: number;
  readonly price_greeks_gamma: number;
  readonly price_greeks_vega: number;
  readonly price_greeks_rho: number;
  readonly price_greeks_omega: number;
  readonly price_sensitivity: number;
  readonly basis: string;
  readonly category: string;
  readonly currency_base: string;
  readonly currency_profit: string;
  readonly currency_margin: string;
  readonly bank: string;
  readonly description: string;
  readonly exchange: string;
  readonly formula: string;
  readonly isin: string;
  readonly name: string;
  readonly page: string;
  readonly path: string;
  /** Of the last quote; null while the server's offset is unknown. */
  readonly time_utc: string | null;
}

/** A row of the broker's list of symbols. */
export type SymbolListRecord = Pick<
  SymbolRecord,
  'name' | 'description' | 'path' | 'visible' | 'currency_base' | 'currency_profit' | 'digits' | 'trade_mode'
>;
