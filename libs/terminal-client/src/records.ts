/**
 * The terminal's records, with its own field names and order (docs: Python integration, named tuples).
 * Times are the broker server's wall clock written as an epoch, never UTC; money is in the deposit currency,
 * volumes in lots, prices in the quote currency.
 */

export interface AccountInfo {
  login: number;
  trade_mode: number;
  leverage: number;
  /** Most active pending orders allowed; 0 is no limit. */
  limit_orders: number;
  margin_so_mode: number;
  trade_allowed: boolean;
  trade_expert: boolean;
  margin_mode: number;
  currency_digits: number;
  fifo_close: boolean;
  balance: number;
  credit: number;
  /** Floating result of the open positions, swap included, commission not. */
  profit: number;
  equity: number;
  margin: number;
  margin_free: number;
  /** equity / margin in percent; 0 when no margin is used. */
  margin_level: number;
  margin_so_call: number;
  margin_so_so: number;
  margin_initial: number;
  margin_maintenance: number;
  assets: number;
  liabilities: number;
  commission_blocked: number;
  name: string;
  server: string;
  currency: string;
  company: string;
}

export interface TerminalInfo {
  community_account: boolean;
  community_connection: boolean;
  /** The terminal is connected to the trade server. */
  connected: boolean;
  dlls_allowed: boolean;
  trade_allowed: boolean;
  tradeapi_disabled: boolean;
  email_enabled: boolean;
  ftp_enabled: boolean;
  notifications_enabled: boolean;
  mqid: boolean;
  build: number;
  maxbars: number;
  codepage: number;
  /** Microseconds. */
  ping_last: number;
  community_balance: number;
  /** Percent. */
  retransmission: number;
  company: string;
  name: string;
  language: string;
  path: string;
  data_path: string;
  commondata_path: string;
}

export interface SymbolInfo {
  custom: boolean;
  chart_mode: number;
  select: boolean;
  visible: boolean;
  session_deals: number;
  session_buy_orders: number;
  session_sell_orders: number;
  volume: number;
  volumehigh: number;
  volumelow: number;
  time: number;
  digits: number;
  /** Points. */
  spread: number;
  spread_float: boolean;
  ticks_bookdepth: number;
  trade_calc_mode: number;
  trade_mode: number;
  start_time: number;
  expiration_time: number;
  /** Points. */
  trade_stops_level: number;
  /** Points. */
  trade_freeze_level: number;
  trade_exemode: number;
  swap_mode: number;
  swap_rollover3days: number;
  margin_hedged_use_leg: boolean;
  expiration_mode: number;
  filling_mode: number;
  order_mode: number;
  order_gtc_mode: number;
  option_mode: number;
  option_right: number;
  bid: number;
  bidhigh: number;
  bidlow: number;
  ask: number;
  askhigh: number;
  asklow: number;
  last: number;
  lasthigh: number;
  lastlow: number;
  volume_real: number;
  volumehigh_real: number;
  volumelow_real: number;
  option_strike: number;
  point: number;
  trade_tick_value: number;
  trade_tick_value_profit: number;
  trade_tick_value_loss: number;
  trade_tick_size: number;
  trade_contract_size: number;
  trade_accrued_interest: number;
  trade_face_value: number;
  trade_liquidity_rate: number;
  volume_min: number;
  volume_max: number;
  volume_step: number;
  volume_limit: number;
  swap_long: number;
  swap_short: number;
  margin_initial: number;
  margin_maintenance: number;
  session_volume: number;
  session_turnover: number;
  session_interest: number;
  session_buy_orders_volume: number;
  session_sell_orders_volume: number;
  session_open: number;
  session_close: number;
  session_aw: number;
  session_price_settlement: number;
  session_price_limit_min: number;
  session_price_limit_max: number;
  margin_hedged: number;
  price_change: number;
  price_volatility: number;
  price_theoretical: number;
  price_greeks_delta: number;
  price_greeks_theta: number;
  price_greeks_gamma: number;
  price_greeks_vega: number;
  price_greeks_rho: number;
  price_greeks_omega: number;
  price_sensitivity: number;
  basis: string;
  category: string;
  currency_base: string;
  currency_profit: string;
  currency_margin: string;
  bank: string;
  description: string;
  exchange: string;
  formula: string;
  isin: string;
  name: string;
  page: string;
  path: string;
}

export interface Tick {
  /** Server seconds. */
  time: number;
  bid: number;
  ask: number;
  last: number;
  volume: number;
  /** Server milliseconds. */
  time_msc: number;
  flags: number;
  volume_real: number;
}

export interface TradePosition {
  ticket: number;
  time: number;
  time_msc: number;
  time_update: number;
  time_update_msc: number;
  type: number;
  magic: number;
  identifier: number;
  reason: number;
  volume: number;
  price_open: number;
  sl: number;
  tp: number;
  price_current: number;
  swap: number;
  profit: number;
  symbol: string;
  comment: string;
  external_id: string;
}

export interface TradeOrder {
  ticket: number;
  time_setup: number;
  time_setup_msc: number;
  time_done: number;
  time_done_msc: number;
  time_expiration: number;
  type: number;
  type_time: number;
  type_filling: number;
  state: number;
  magic: number;
  position_id: number;
  position_by_id: number;
  reason: number;
  volume_initial: number;
  volume_current: number;
  price_open: number;
  sl: number;
  tp: number;
  price_current: number;
  price_stoplimit: number;
  symbol: string;
  comment: string;
  external_id: string;
}

export interface TradeDeal {
  ticket: number;
  order: number;
  time: number;
  time_msc: number;
  type: number;
  entry: number;
  magic: number;
  position_id: number;
  reason: number;
  volume: number;
  price: number;
  commission: number;
  swap: number;
  profit: number;
  fee: number;
  symbol: string;
  comment: string;
  external_id: string;
}

/** A column of numbers: typed arrays in process, plain ones from the wire. */
export type Column = ArrayLike<number>;

/** Bars as columns, ascending by `time` (server seconds of each bar's open). All columns are equally long. */
export interface BarColumns {
  time: Column;
  open: Column;
  high: Column;
  low: Column;
  close: Column;
  tick_volume: Column;
  /** Points. */
  spread: Column;
  real_volume: Column;
}

/** Ticks as columns, ascending by `time_msc`. All columns are equally long. */
export interface TickColumns {
  time: Column;
  bid: Column;
  ask: Column;
  last: Column;
  volume: Column;
  time_msc: Column;
  flags: Column;
  volume_real: Column;
}
