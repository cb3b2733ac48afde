import { ApiProperty } from '@nestjs/swagger';
import type { SymbolInfo } from '@libs/terminal-client';

/** The 96 fields of the terminal's symbol record, and the time of its quote in UTC. */
export class SymbolInfoResponse implements SymbolInfo {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: false })
  custom: boolean;

  @ApiProperty({ example: 0 })
  chart_mode: number;

  @ApiProperty({ example: true })
  select: boolean;

  @ApiProperty({ example: true })
  visible: boolean;

  @ApiProperty({ example: 0 })
  session_deals: number;

  @ApiProperty({ example: 0 })
  session_buy_orders: number;

  @ApiProperty({ example: 0 })
  session_sell_orders: number;

  @ApiProperty({ example: 0 })
  volume: number;

  @ApiProperty({ example: 0 })
  volumehigh: number;

  @ApiProperty({ example: 0 })
  volumelow: number;

  @ApiProperty({
    type: 'integer',
    example: 1585070338,
    description: 'Broker server time of the last quote as an epoch, in seconds; not UTC.',
  })
  time: number;

  @ApiProperty({ type: 'integer', example: 3 })
  digits: number;

  @ApiProperty({ type: 'integer', example: 17, description: 'Points.' })
  spread: number;

  @ApiProperty({ example: true })
  spread_float: boolean;

  @ApiProperty({ example: 10 })
  ticks_bookdepth: number;

  @ApiProperty({ example: 0 })
  trade_calc_mode: number;

  @ApiProperty({
    type: 'integer',
    example: 4,
    description: '0 disabled, 1 long only, 2 short only, 3 close only, 4 full.',
  })
  trade_mode: number;

  @ApiProperty({ example: 0 })
  start_time: number;

  @ApiProperty({ example: 0 })
  expiration_time: number;

  @ApiProperty({ example: 0, description: 'Least distance of stops from the market, in points.' })
  trade_stops_level: number;

  @ApiProperty({ example: 0, description: 'Distance from the market within which nothing can be changed, in points.' })
  trade_freeze_level: number;

  @ApiProperty({ example: 1, description: '0 request, 1 instant, 2 market, 3 exchange.' })
  trade_exemode: number;

  @ApiProperty({ example: 1 })
  swap_mode: number;

  @ApiProperty({ example: 3, description: 'Day of the triple swap; 0 is Sunday.' })
  swap_rollover3days: number;

  @ApiProperty({ example: false })
  margin_hedged_use_leg: boolean;

  @ApiProperty({ example: 7, description: 'Flag word: 1 GTC, 2 DAY, 4 SPECIFIED, 8 SPECIFIED_DAY.' })
  expiration_mode: number;

  @ApiProperty({ example: 1, description: 'Flag word: 1 FOK, 2 IOC, 4 BOC.' })
  filling_mode: number;

  @ApiProperty({
    example: 127,
    description: 'Flag word: 1 market, 2 limit, 4 stop, 8 stop-limit, 16 sl, 32 tp, 64 close-by.',
  })
  order_mode: number;

  @ApiProperty({ example: 0 })
  order_gtc_mode: number;

  @ApiProperty({ example: 0 })
  option_mode: number;

  @ApiProperty({ example: 0 })
  option_right: number;

  @ApiProperty({ example: 120.024 })
  bid: number;

  @ApiProperty({ example: 0 })
  bidhigh: number;

  @ApiProperty({ example: 0 })
  bidlow: number;

  @ApiProperty({ example: 120.041 })
  ask: number;

  @ApiProperty({ example: 0 })
  askhigh: number;

  @ApiProperty({ example: 0 })
  asklow: number;

  @ApiProperty({ example: 0 })
  last: number;

  @ApiProperty({ example: 0 })
  lasthigh: number;

  @ApiProperty({ example: 0 })
  lastlow: number;

  @ApiProperty({ example: 0 })
  volume_real: number;

  @ApiProperty({ example: 0 })
  volumehigh_real: number;

  @ApiProperty({ example: 0 })
  volumelow_real: number;

  @ApiProperty({ example: 0 })
  option_strike: number;

  @ApiProperty({ example: 0.001 })
  point: number;

  @ApiProperty({ example: 0.8977708350166538, description: 'Value of one tick of one lot in the deposit currency.' })
  trade_tick_value: number;

  @ApiProperty({ example: 0.8977708350166538 })
  trade_tick_value_profit: number;

  @ApiProperty({ example: 0.8978272580355541 })
  trade_tick_value_loss: number;

  @ApiProperty({ example: 0.001 })
  trade_tick_size: number;

  @ApiProperty({ example: 100000, description: 'Units of the base in one lot.' })
  trade_contract_size: number;

  @ApiProperty({ example: 0 })
  trade_accrued_interest: number;

  @ApiProperty({ example: 0 })
  trade_face_value: number;

  @ApiProperty({ example: 0 })
  trade_liquidity_rate: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume_min: number;

  @ApiProperty({ example: 500, description: 'Lots.' })
  volume_max: number;

  @ApiProperty({ example: 0.01, description: 'Lots.' })
  volume_step: number;

  @ApiProperty({ example: 0, description: 'Most lots in one direction; 0 is no limit.' })
  volume_limit: number;

  @ApiProperty({ example: -0.2 })
  swap_long: number;

  @ApiProperty({ example: -1.2 })
  swap_short: number;

  @ApiProperty({ example: 0 })
  margin_initial: number;

  @ApiProperty({ example: 0 })
  margin_maintenance: number;

  @ApiProperty({ example: 0 })
  session_volume: number;

  @ApiProperty({ example: 0 })
  session_turnover: number;

  @ApiProperty({ example: 0 })
  session_interest: number;

  @ApiProperty({ example: 0 })
  session_buy_orders_volume: number;

  @ApiProperty({ example: 0 })
  session_sell_orders_volume: number;

  @ApiProperty({ example: 0 })
  session_open: number;

  @ApiProperty({ example: 0 })
  session_close: number;

  @ApiProperty({ example: 0 })
  session_aw: number;

  @ApiProperty({ example: 0 })
  session_price_settlement: number;

  @ApiProperty({ example: 0 })
  session_price_limit_min: number;

  @ApiProperty({ example: 0 })
  session_price_limit_max: number;

  @ApiProperty({ example: 100000 })
  margin_hedged: number;

  @ApiProperty({ example: 0 })
  price_change: number;

  @ApiProperty({ example: 0 })
  price_volatility: number;

  @ApiProperty({ example: 0 })
  price_theoretical: number;

  @ApiProperty({ example: 0 })
  price_greeks_delta: number;

  @ApiProperty({ example: 0 })
  price_greeks_theta: number;

  @ApiProperty({ example: 0 })
  price_greeks_gamma: number;

  @ApiProperty({ example: 0 })
  price_greeks_vega: number;

  @ApiProperty({ example: 0 })
  price_greeks_rho: number;

  @ApiProperty({ example: 0 })
  price_greeks_omega: number;

  @ApiProperty({ example: 0 })
  price_sensitivity: number;

  @ApiProperty({ example: '' })
  basis: string;

  @ApiProperty({ example: '' })
  category: string;

  @ApiProperty({ example: 'EUR' })
  currency_base: string;

  @ApiProperty({ example: 'JPY' })
  currency_profit: string;

  @ApiProperty({ example: 'EUR' })
  currency_margin: string;

  @ApiProperty({ example: '' })
  bank: string;

  @ApiProperty({ example: 'Euro vs Japanese Yen' })
  description: string;

  @ApiProperty({ example: '' })
  exchange: string;

  @ApiProperty({ example: '' })
  formula: string;

  @ApiProperty({ example: '' })
  isin: string;

  @ApiProperty({ example: 'EURJPY' })
  name: string;

  @ApiProperty({ example: '' })
  page: string;

  @ApiProperty({ example: 'Forex\\EURJPY' })
  path: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '2020-03-24T15:18:58.000Z',
    description: 'The time of the last quote in UTC; null while the server offset is unknown.',
  })
  time_utc: string | null;
}
