/** The fields of the terminal's records, as its package documents them; sorted, because only their names count. */
const words = (text: string): string[] => text.trim().split(/\s+/).sort();

export const accountFields = words(`
  login trade_mode leverage limit_orders margin_so_mode trade_allowed trade_expert margin_mode currency_digits fifo_close
  balance credit profit equity margin margin_free margin_level margin_so_call margin_so_so margin_initial
  margin_maintenance assets liabilities commission_blocked name server currency company`);

export const terminalFields = words(`
  community_account community_connection connected dlls_allowed trade_allowed tradeapi_disabled email_enabled ftp_enabled
  notifications_enabled mqid build maxbars codepage ping_last community_balance retransmission company name language path
  data_path commondata_path`);

export const bookFields = words('type price volume volume_dbl');

export const symbolFields = words(`
  custom chart_mode select visible session_deals session_buy_orders session_sell_orders volume volumehigh volumelow time
  digits spread spread_float ticks_bookdepth trade_calc_mode trade_mode start_time expiration_time trade_stops_level
  trade_freeze_level trade_exemode swap_mode swap_rollover3days margin_hedged_use_leg expiration_mode filling_mode
  order_mode order_gtc_mode option_mode option_right bid bidhigh bidlow ask askhigh asklow last lasthigh lastlow
  volume_real volumehigh_real volumelow_real option_strike point trade_tick_value trade_tick_value_profit
  trade_tick_value_loss trade_tick_size trade_contract_size trade_accrued_interest trade_face_value trade_liquidity_rate
  volume_min volume_max volume_step volume_limit swap_long swap_short margin_initial margin_maintenance session_volume
  session_turnover session_interest session_buy_orders_volume session_sell_orders_volume session_open session_close
  session_aw session_price_settlement session_price_limit_min session_price_limit_max margin_hedged price_change
  price_volatility price_theoretical price_greeks_delta price_greeks_theta price_greeks_gamma price_greeks_vega
  price_greeks_rho price_greeks_omega price_sensitivity basis category currency_base currency_profit currency_margin bank
  description exchange formula isin name page path`);

export const tickFields = words('time bid ask last volume time_msc flags volume_real');

export const positionFields = words(`
  ticket time time_msc time_update time_update_msc type magic identifier reason volume price_open sl tp price_current swap
  profit symbol comment external_id`);

export const orderFields = words(`
  ticket time_setup time_setup_msc time_done time_done_msc time_expiration type type_time type_filling state magic
  position_id position_by_id reason volume_initial volume_current price_open sl tp price_current price_stoplimit symbol
  comment external_id`);

export const dealFields = words(`
  ticket order time time_msc type entry magic position_id reason volume price commission swap profit fee symbol comment
  external_id`);

export const checkFields = words('retcode balance equity profit margin margin_free margin_level comment');

export const sendFields = words(`
  retcode deal order volume price bid ask comment request_id retcode_external`);
