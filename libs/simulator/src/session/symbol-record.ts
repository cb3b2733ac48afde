import { SymbolChartMode, type SymbolInfo } from '@libs/terminal-client';
import type { Market, MarketSymbol } from '../market/market';
import type { Rates } from '../money/conversion';
import { exact, type Money, zero } from '../money/decimals';
import { profitFormula } from '../symbols/profit-formula';
import { bookLevels } from './market-book';
import { pointOf, type SymbolSpec } from '../symbols/symbol-spec';

const templates = new WeakMap<SymbolSpec, SymbolInfo>();

/** A symbol's full record at the market's present instant. */
export function symbolRecord(symbol: MarketSymbol, market: Market, conversion: Rates, selected: boolean): SymbolInfo {
  const quote = market.quote(symbol);
  const day = symbol.bars.formingDay(market.nowMs);
  const bid = quote?.bid ?? 0;
  const ask = quote?.ask ?? 0;
  const values = tickValues(symbol.spec, conversion, bid);
  const record = { ...templateOf(symbol.spec) };
  record.select = selected;
  record.visible = selected;
  record.time = quote ? Math.floor(market.clock.serverMs(quote.timeMs) / 1_000) : 0;
  record.spread = Math.round((ask - bid) / record.point);
  record.bid = bid;
  record.ask = ask;
  record.bidhigh = day?.high ?? bid;
  record.bidlow = day?.low ?? bid;
  record.askhigh = day?.askHigh ?? ask;
  record.asklow = day?.askLow ?? ask;
  record.session_open = day?.open ?? 0;
  record.price_change = day && day.open > 0 ? Math.round(((bid - day.open) / day.open) * 1e6) / 1e4 : 0;
  record.trade_tick_value = values.gain;
  record.trade_tick_value_profit = values.gain;
  record.trade_tick_value_loss = values.loss;
  return record;
}

/** A symbol's record without what the market changes: its terms, with zeros for quotes and values. */
export function symbolTerms({ spec }: Pick<MarketSymbol, 'spec'>): Readonly<SymbolInfo> {
  return templateOf(spec);
}

/** {@link symbolTerms} with the values of a tick at present prices. */
export function valuedTerms(spec: SymbolSpec, conversion: Rates, bid: number): Readonly<SymbolInfo> {
  const { gain, loss } = tickValues(spec, conversion, bid);
  return { ...templateOf(spec), trade_tick_value: gain, trade_tick_value_loss: loss };
}

/** The part of a record that does not change, put together once: copying it whole is many times cheaper. */
function templateOf(spec: SymbolSpec): SymbolInfo {
  let template = templates.get(spec);
  if (!template) {
    const { market: _, trade_tick_value_profit_currency: __, ...fixed } = spec;
    template = { ...idleFields, ...fixed, point: pointOf(spec) };
    templates.set(spec, template);
  }
  return template;
}

/** Worth of one tick of one lot in the deposit currency: of a gain, and of a loss. */
function tickValues(
  spec: SymbolSpec,
  conversion: Rates,
  bid: number,
): { readonly gain: number; readonly loss: number } {
  const inProfit =
    profitFormula(spec.trade_calc_mode) === 'ticks'
      ? exact(spec.trade_tick_value_profit_currency)
      : exact(spec.trade_tick_size).mul(spec.trade_contract_size);
  const worth = (isGain: boolean): number => {
    if (spec.currency_base === conversion.deposit && spec.currency_profit !== conversion.deposit && bid > 0) {
      return doubled(inProfit.div(bid));
    }
    return doubled(inProfit.mul(conversion.amountRate(spec.currency_profit, isGain) ?? zero));
  };
  return { gain: worth(true), loss: worth(false) };
}

const doubled = (value: Money): number => value.toSignificantDigits(16).toNumber();

/** Fields that mean nothing on these symbols, and those that every record fills in. */
const idleFields = {
  select: false,
  visible: false,
  time: 0,
  spread: 0,
  spread_float: true,
  bid: 0,
  ask: 0,
  bidhigh: 0,
  bidlow: 0,
  askhigh: 0,
  asklow: 0,
  session_open: 0,
  session_close: 0,
  price_change: 0,
  trade_tick_value: 0,
  trade_tick_value_profit: 0,
  trade_tick_value_loss: 0,
  custom: false,
  chart_mode: SymbolChartMode.BID,
  session_deals: 0,
  session_buy_orders: 0,
  session_sell_orders: 0,
  volume: 0,
  volumehigh: 0,
  volumelow: 0,
  ticks_bookdepth: 2 * bookLevels,
  start_time: 0,
  expiration_time: 0,
  option_mode: 0,
  option_right: 0,
  last: 0,
  lasthigh: 0,
  lastlow: 0,
  volume_real: 0,
  volumehigh_real: 0,
  volumelow_real: 0,
  option_strike: 0,
  session_volume: 0,
  session_turnover: 0,
  session_interest: 0,
  session_buy_orders_volume: 0,
  session_sell_orders_volume: 0,
  session_aw: 0,
  session_price_limit_min: 0,
  session_price_limit_max: 0,
  price_volatility: 0,
  price_theoretical: 0,
  price_greeks_delta: 0,
  price_greeks_theta: 0,
  price_greeks_gamma: 0,
  price_greeks_vega: 0,
  price_greeks_rho: 0,
  price_greeks_omega: 0,
  price_sensitivity: 0,
  basis: '',
  category: '',
  bank: '',
  exchange: '',
  formula: '',
  isin: '',
  page: '',
};
