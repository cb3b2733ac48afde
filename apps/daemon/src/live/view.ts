import type { Account, PendingOrder, Position, Quote, SymbolSpec } from '@libs/strategy';
import type { BrokerSymbol } from '../market-data/symbol-spec';

/** What prices and volumes of a symbol are rounded to. */
export type Grid = Pick<SymbolSpec, 'tickSize' | 'point' | 'digits' | 'volumeMin' | 'volumeMax' | 'volumeStep'>;

/** View of a strategy while it handles an event: a copy that does not change. */
export interface View {
  readonly positions: readonly Position[];
  readonly orders: readonly PendingOrder[];
  readonly equity: number;
  readonly inFlight: number;
  readonly quotes: Readonly<Record<string, Quote>>;
  /** The broker's specification of each stream's symbol, by alias. */
  readonly symbols: Readonly<Record<string, BrokerSymbol>>;
  /** The grid of each stream's symbol, by alias, where `symbols` takes long to read; absent: read there. */
  readonly grids?: Readonly<Record<string, Grid>> | undefined;
  /** The most lots of an entry that the configuration permits; null or absent without such a limit. */
  readonly maxVolume?: number | null | undefined;
  /** The accounts that could be read, by gateway. */
  readonly accounts: Readonly<Record<string, Account>>;
}
