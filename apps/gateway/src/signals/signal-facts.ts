import type { SymbolInfo, TradePosition } from '@libs/terminal-client';

export type SignalGrid = Pick<
  SymbolInfo,
  'name' | 'point' | 'digits' | 'trade_tick_size' | 'volume_min' | 'volume_max' | 'volume_step'
>;

export type OwnPosition = Pick<TradePosition, 'ticket' | 'type' | 'volume' | 'price_open' | 'sl' | 'tp' | 'time_msc'>;

/** What a decision is made from: the account as it is now, of one symbol. */
export interface SignalFacts {
  readonly info: SignalGrid;
  readonly quote: { readonly bid: number; readonly ask: number };
  /** Positions of the source's magic number. */
  readonly positions: readonly OwnPosition[];
  /** On an account that nets, the position of the symbol is of another magic number. */
  readonly isForeign: boolean;
  /** Tickets of the pending orders of the source's magic number. */
  readonly orders: readonly number[];
  /** In the deposit currency. */
  readonly equity: number;
  /** Decimals of the deposit currency; absent while they are not known. */
  readonly moneyDigits?: number | undefined;
  /** Average true range as a price distance; null if no level needs it. */
  readonly atr: number | null;
  /**
   * What one lot loses between two prices, in the deposit currency; null if it was not needed, or could not be computed.
   */
  readonly lossOfOneLot: number | null;
}
