/** The broker's specification of a symbol. The broker may change it while a strategy runs: read it when it is needed. */
export interface SymbolSpec {
  readonly symbol: string;
  /** Decimals of its prices. */
  readonly digits: number;
  /** The last decimal of its prices, in price. */
  readonly point: number;
  /** Grid of its prices, in price. */
  readonly tickSize: number;
  /** Loss of one lot by one tick, in the account's currency; null while the broker does not state it. */
  readonly tickValue: number | null;
  /** Units of the base in one lot. */
  readonly contractSize: number;
  /**
   * What one lot, bought at the present price, binds of the free margin, whatever else is open; in the account's currency. Null
   * while the broker does not state it.
   */
  readonly marginPerLot: number | null;
  /** Least volume of an order, in lots. */
  readonly volumeMin: number;
  /** Greatest volume of an order, in lots. */
  readonly volumeMax: number;
  /** Grid of volumes, in lots. */
  readonly volumeStep: number;
  /** Least distance of levels and pending prices from the market, in price. */
  readonly stopsDistance: number;
  /** Distance from the market within which levels and pending orders cannot be changed, in price. */
  readonly freezeDistance: number;
  /** Which entries the broker permits; exits are permitted unless it is `disabled`. It says nothing of trading hours. */
  readonly tradeMode: 'full' | 'long_only' | 'short_only' | 'close_only' | 'disabled';
  /** Ask less bid of the last known quote, in price; null before the first. */
  readonly spread: number | null;
}

/** The broker's account behind a stream, with all of its positions, also those of others. Amounts are in its currency. */
export interface Account {
  readonly currency: string;
  /** 100 for 1:100. */
  readonly leverage: number;
  readonly balance: number;
  /** Balance with credit and the floating results of all positions. */
  readonly equity: number;
  /** What the open positions bind. */
  readonly margin: number;
  /** Equity less margin: what new positions may bind. */
  readonly freeMargin: number;
}

/** What an entry may lose. */
export interface Risk {
  /** Greatest loss at the stop-loss, in the account's currency, without commission and slippage. */
  readonly risk: number;
  /** Distance of the stop-loss from the entry, in price. */
  readonly stopDistance: number;
}
