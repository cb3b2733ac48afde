import type { SymbolSpec } from '@libs/strategy';
import { SymbolTradeMode } from '@libs/trade-constants';

/** A specification as the broker states it. */
export type BrokerSymbol = Omit<SymbolSpec, 'spread'>;

/** A specification without what the broker computes on request. */
export type BrokerTerms = Omit<BrokerSymbol, 'marginPerLot'>;

/** A specification without what depends on prices. */
export type FixedTerms = Omit<BrokerTerms, 'tickValue'>;

/** The terminal's symbol record, as far as strategies need it. */
export interface SpecifiedSymbol {
  readonly name: string;
  readonly digits: number;
  readonly point: number;
  readonly trade_tick_size: number;
  /** Deposit currency; a terminal may lack it. */
  readonly trade_tick_value?: number;
  readonly trade_tick_value_loss?: number;
  readonly trade_contract_size: number;
  readonly trade_stops_level: number;
  readonly trade_freeze_level: number;
  readonly volume_min: number;
  readonly volume_max: number;
  readonly volume_step: number;
  readonly trade_mode: number;
}

const tradeModes: Readonly<Record<number, BrokerSymbol['tradeMode']>> = {
  [SymbolTradeMode.DISABLED]: 'disabled',
  [SymbolTradeMode.LONGONLY]: 'long_only',
  [SymbolTradeMode.SHORTONLY]: 'short_only',
  [SymbolTradeMode.CLOSEONLY]: 'close_only',
  [SymbolTradeMode.FULL]: 'full',
};

/** A symbol as strategies see it. A tick value of 0 means that the terminal does not state it. */
export function symbolTermsOf(symbol: SpecifiedSymbol): BrokerTerms {
  const { digits, point } = symbol;
  const inPrice = (points: number): number => Number((points * point).toFixed(digits));
  return {
    symbol: symbol.name,
    digits,
    point,
    tickSize: symbol.trade_tick_size > 0 ? symbol.trade_tick_size : point,
    tickValue: symbol.trade_tick_value_loss || symbol.trade_tick_value || null,
    contractSize: symbol.trade_contract_size,
    volumeMin: symbol.volume_min,
    volumeMax: symbol.volume_max,
    volumeStep: symbol.volume_step,
    stopsDistance: inPrice(symbol.trade_stops_level),
    freezeDistance: inPrice(symbol.trade_freeze_level),
    tradeMode: tradeModes[symbol.trade_mode] ?? 'disabled',
  };
}
